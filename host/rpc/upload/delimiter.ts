const LF = 10
const CR = 13
const DASH = 45

/** Whether `bytes` has `wanted` at `at`: not, wholly, or up to where the bytes end. */
export function prefixAt(bytes: Buffer, wanted: Buffer, at: number): 'no' | 'partial' | 'whole' {
  const length = Math.min(wanted.length, bytes.length - at)
  for (let i = 0; i < length; i++) if (bytes[at + i] !== wanted[i]) return 'no'
  return length === wanted.length ? 'whole' : 'partial'
}

/** Whether what follows a delimiter makes it one; undefined when that is not known yet. */
export function endAfter(bytes: Buffer, at: number, last: boolean): boolean | undefined {
  if (at >= bytes.length) return last ? true : undefined
  const next = bytes[at]
  if (next === 32 || next === 9 || next === CR || next === LF) return true
  if (next !== DASH) return false
  if (at + 1 >= bytes.length) return last ? false : undefined
  return bytes[at + 1] === DASH
}

/** From where on the bytes behind `from` may be the start of a delimiter that goes on in the next ones. */
export function possibleStart(bytes: Buffer, delimiter: Buffer, from: number): number {
  const first = delimiter[0]!
  for (let at = bytes.lastIndexOf(first); at >= from && at > bytes.length - delimiter.length; ) {
    if (prefixAt(bytes, delimiter, at) !== 'no') return at
    if (at === 0) break
    at = bytes.lastIndexOf(first, at - 1)
  }
  return bytes.length
}

/** Where the text of a line ends, without what ends the line. */
export function endOfText(bytes: Buffer, at: number, end: number): number {
  if (end === at || bytes[end - 1] !== LF) return end
  return end - 2 >= at && bytes[end - 2] === CR ? end - 2 : end - 1
}
