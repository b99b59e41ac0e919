import { DAG_JSON } from '../../../cid/codes.ts'
import type { Codec } from '../../../services/content/dag.ts'
import { asStored, byBytes } from '../../walk/order.ts'
import { linksOf } from '../cbor/cbor.ts'
import { decodeJson } from './decode.ts'
import { encodeJson } from './encode.ts'

/**
 * `dag-json` (0x129): links and bytes as `{"/": …}`, compact, keys sorted by their bytes.
 *
 * @param maxValues - in a block that is read
 */
export function dagJsonCodec(maxValues?: number): Codec {
  const decode = (bytes: Uint8Array) => decodeJson(bytes, { special: true, maxValues })
  return {
    name: 'dag-json',
    code: DAG_JSON,
    decode,
    encode: (node, options) => encodeJson(node, { ...options, special: true, order: byBytes }),
    links: bytes => linksOf(decodeJson(bytes, { special: true, lenient: true, maxValues }))
  }
}

/**
 * `json` (0x200): neither links nor bytes, indented by tabs, keys in the order of the value.
 *
 * @param maxValues - in a block that is read
 */
export function jsonCodec(maxValues?: number): Codec {
  const decode = (bytes: Uint8Array) => decodeJson(bytes, { special: false, maxValues })
  return {
    name: 'json',
    code: 0x0200,
    decode,
    encode: (node, options) => encodeJson(node, { ...options, special: false, order: asStored, pretty: true }),
    links: bytes => linksOf(decodeJson(bytes, { special: false, lenient: true, maxValues }))
  }
}
