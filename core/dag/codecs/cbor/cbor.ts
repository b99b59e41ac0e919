import type { CID } from 'multiformats/cid'
import { DAG_CBOR } from '../../../cid/codes.ts'
import type { Codec, Link } from '../../../services/content/dag.ts'
import { linksIn, type Node } from '../../model.ts'
import { asStored, byLength } from '../../walk/order.ts'
import { Along } from '../along.ts'
import { decodeCbor, linksOfCbor } from './decode.ts'
import { encodeCbor } from './encode.ts'

/** `dag-cbor` (0x71): links as tag 42, keys sorted by length, then bytes. */
export const dagCbor: Codec = {
  name: 'dag-cbor',
  code: DAG_CBOR,
  decode: bytes => decodeCbor(bytes, { links: true }),
  along: (bytes, path) => decodeCbor(bytes, { links: true, along: new Along(path) }),
  ...exactly({ links: true }),
  encode: (node, options) => encodeCbor(node, { ...options, links: true, order: byLength }),
  links: bytes => linksOfCbor(bytes, { links: true }).map(unnamed)
}

/** `cbor` (0x51): no links, keys in the order of the value. */
export const cbor: Codec = {
  name: 'cbor',
  code: 0x51,
  decode: bytes => decodeCbor(bytes, { links: false }),
  along: (bytes, path) => decodeCbor(bytes, { links: false, along: new Along(path) }),
  ...exactly({ links: false }),
  encode: (node, options) => encodeCbor(node, { ...options, links: false, order: asStored }),
  links: bytes => linksOfCbor(bytes, { links: false }).map(unnamed)
}

/** What is read to be written again, be it input or a stored block, loses nothing. */
function exactly(options: { links: boolean }): Required<Pick<Codec, 'parse' | 'exact'>> {
  const exact = (bytes: Uint8Array) => decodeCbor(bytes, { ...options, exact: true })
  return { parse: exact, exact }
}

/** The links of a value as those of a block: without names. */
export function linksOf(node: Node): Link[] {
  return Array.from(linksIn(node), unnamed)
}

/** A link as of a block whose links have no names. */
export function unnamed(cid: CID): Link {
  return { cid, name: '' }
}
