/** Longest piece of a page that is handed to a client at a time, in characters: one that reads nothing holds no more in its connection. */
const PIECE = 16_384

/** A page, or a part of one, in pieces. */
export async function* inPieces(html: string): AsyncGenerator<Uint8Array> {
  // what is cut must not be half a character
  for (let at = 0; at < html.length; ) {
    const end = at + PIECE
    const isSplit = end < html.length && (html.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const to = isSplit ? end + 1 : end
    yield Buffer.from(html.slice(at, to))
    at = to
  }
}
