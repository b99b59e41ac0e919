import { encodeUtf8 } from '../../go/utf8.ts'
import type { Node } from '../model.ts'

export type MapOrder = (entries: Map<string, Node>) => Iterable<readonly [string, Node]>

/** As the map has them. */
export const asStored: MapOrder = entries => entries

/** By the bytes of the keys (dag-json). */
export const byBytes: MapOrder = entries => (entries.size < 2 ? entries : [...entries].sort(([a], [b]) => compareBytes(a, b)))

/** Shorter keys first, then by their bytes (RFC 7049; dag-cbor). */
export const byLength: MapOrder = entries => {
  if (entries.size < 2) return entries
  // each length is looked up once, and not at every comparison
  const sized = Array.from(entries, entry => ({ entry, length: byteLength(entry[0]) }))
  return sized.sort((a, b) => a.length - b.length || compareBytes(a.entry[0], b.entry[0])).map(({ entry }) => entry)
}

/** Compares the UTF-8 of two strings. UTF-16 orders the same way up to the first surrogate. */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    return x >= 0xd800 || y >= 0xd800 ? Buffer.compare(encodeUtf8(a), encodeUtf8(b)) : x - y
  }
  return a.length - b.length
}

function byteLength(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : encodeUtf8(text).length
}
