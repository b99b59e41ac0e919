import { BUZHASH_TABLE as T } from './buzhash-table.ts'

/** Parameters of the reference (boxo 0.19, chunker/buzhash): window 32, a cut on average every 2^17 bytes past the least. */
export const BUZHASH = { window: 32, min: 131_072, max: 524_288, mask: 0x1ffff } as const

/** Where the chunk at the start of `bytes` ends: `bytes` are the next {@link BUZHASH.max}, fewer only at the end of the stream. */
export function buzhashCut(bytes: Uint8Array): number {
  const { window, min, mask } = BUZHASH
  if (bytes.length <= min) return bytes.length
  let state = 0
  for (let i = min - window; i < min; i++) state = ((state << 1) | (state >>> 31)) ^ T[bytes[i]!]!
  let i = min - window
  for (const last = bytes.length - window - 1; i <= last; i++) {
    if ((state & mask) === 0) break
    // the table is rotated by the whole window, 32 bits, on the way out: by nothing
    state = ((state << 1) | (state >>> 31)) ^ T[bytes[i]!]! ^ T[bytes[i + window]!]!
  }
  return i + window
}
