import type { Codec } from '../services/dag.ts'
import { linksOf } from './cbor.ts'
import { decodeJson } from './json-decode.ts'
import { encodeJson } from './json-encode.ts'
import { asStored, byBytes } from './order.ts'

/** `dag-json` (0x129): links and bytes as `{"/": …}`, compact, keys sorted by their bytes. */
export const dagJson: Codec = {
  name: 'dag-json',
  code: 0x0129,
  decode: bytes => decodeJson(bytes, { special: true }),
  encode: (node, options) => encodeJson(node, { ...options, special: true, order: byBytes }),
  links: bytes => linksOf(decodeJson(bytes, { special: true }))
}

/** `json` (0x200): neither links nor bytes, indented by tabs, keys in the order of the value. */
export const json: Codec = {
  name: 'json',
  code: 0x0200,
  decode: bytes => decodeJson(bytes, { special: false }),
  encode: (node, options) => encodeJson(node, { ...options, special: false, order: asStored, pretty: true }),
  links: bytes => linksOf(decodeJson(bytes, { special: false }))
}
