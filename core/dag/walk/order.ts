import { compareUtf8, encodeUtf8 } from '../../go/utf8.ts'
import type { Node } from '../model.ts'

export type MapOrder = (entries: Map<string, Node>) => Iterable<readonly [string, Node]>

/** Entries as the map has them. */
export const asStored: MapOrder = entries => entries

/** Entries by the bytes of their keys (dag-json). */
export const byBytes: MapOrder = entries => (entries.size < 2 ? entries : [...entries].sort(([a], [b]) => compareUtf8(a, b)))

/** Shorter keys first, then by their bytes (RFC 7049; dag-cbor). */
export const byLength: MapOrder = entries => {
  if (entries.size < 2) return entries
  // each length is looked up once, and not at every comparison
  const sized = Array.from(entries, entry => ({ entry, length: byteLength(entry[0]) }))
  return sized.sort((a, b) => a.length - b.length || compareUtf8(a.entry[0], b.entry[0])).map(({ entry }) => entry)
}

function byteLength(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : encodeUtf8(text).length
}
