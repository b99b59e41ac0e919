import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Lines } from '../../../core/binding/arguments.ts'

/** The lines of standard input, one at a time. */
export function linesOf(bytes: AsyncIterable<Uint8Array>): Lines {
  const iterator = createInterface({ input: Readable.from(bytes), crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  return {
    async next() {
      const { done, value } = await iterator.next()
      return done ? undefined : value
    }
  }
}
