/** The forms in which the ecosystem's stores take and give a block's bytes. */
export type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** One array of all the bytes; the very same one where there is nothing to join. */
export async function whole(bytes: BlockBytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks)
}

/** All bytes as one array, in memory of its own. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}
