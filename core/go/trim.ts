/**
 * `text` without the characters of `cutset` at its end, as Go's `strings.TrimRight`. A pattern for that (`/=+$/`) is tried anew at each of
 * them that does not stand at the end, and so takes a time that grows with the square of the text.
 */
export function trimRight(text: string, cutset: string): string {
  let end = text.length
  while (end > 0 && cutset.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
