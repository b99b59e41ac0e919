/** All items of what comes one by one. */
export async function all<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** All bytes of what comes in pieces. */
export async function gathered(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  // a piece may be written over once the next one is asked for
  const copies: Uint8Array[] = []
  for await (const piece of pieces) copies.push(Uint8Array.from(piece))
  return Buffer.concat(copies)
}

/** All items of a streaming reply up to the error that ended it, if one did, and its message. */
export async function itemsUntilError<T>(reply: unknown): Promise<{ items: T[]; error: string | undefined }> {
  const items: T[] = []
  try {
    for await (const item of (await reply) as AsyncIterable<T>) items.push(item)
    return { items, error: undefined }
  } catch (error) {
    return { items, error: (error as Error).message }
  }
}
