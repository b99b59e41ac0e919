import type { Reply } from '../reply/reply.ts'

/**
 * Sends pieces. What is no more than `most` bytes altogether goes out whole and with its length, to a HEAD too, as from a server that holds
 * so much back (Go's net/http).
 */
export async function sendGathered(reply: Reply, pieces: AsyncIterable<Uint8Array>, most: number): Promise<void> {
  const source = pieces[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const step = await source.next()
      if (step.done) return reply.whole(200, first.length === 1 ? first[0]! : Buffer.concat(first))
      first.push(step.value)
      size += step.value.length
      if (size > most) break
    }
    await reply.flow(200, continued(first, source))
  } finally {
    await source.return?.()
  }
}

async function* continued(first: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let piece = first.shift(); piece !== undefined; piece = first.shift()) yield piece
  for (let step = await source.next(); !step.done; step = await source.next()) yield step.value
}
