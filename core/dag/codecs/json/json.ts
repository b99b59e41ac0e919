import { DAG_JSON } from '../../../cid/codes.ts'
import type { Codec } from '../../../services/content/dag.ts'
import { asStored, byBytes } from '../../walk/order.ts'
import { Along } from '../along.ts'
import { unnamed } from '../cbor/cbor.ts'
import { decodeJson, linksOfJson } from './decode.ts'
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
    along: (bytes, path) => decodeJson(bytes, { special: true, along: new Along(path), maxValues }),
    encode: (node, options) => encodeJson(node, { ...options, special: true, order: byBytes }),
    links: bytes => linksOfJson(bytes, { special: true, lenient: true, maxValues }).map(unnamed)
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
    along: (bytes, path) => decodeJson(bytes, { special: false, along: new Along(path), maxValues }),
    encode: (node, options) => encodeJson(node, { ...options, special: false, order: asStored, pretty: true }),
    links: bytes => linksOfJson(bytes, { special: false, lenient: true, maxValues }).map(unnamed)
  }
}
