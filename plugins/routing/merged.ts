/** The items of several sources as they come. The first source that throws ends all; all end with the iterator. */
export async function* merged<T>(sources: ReadonlyArray<AsyncIterable<T>>): AsyncGenerator<T> {
  const iterators = sources.map(source => source[Symbol.asyncIterator]())
  const next = async (iterator: AsyncIterator<T>) => ({ iterator, result: await iterator.next() })
  const waiting = new Map(iterators.map(iterator => [iterator, next(iterator)]))
  try {
    while (waiting.size > 0) {
      const { iterator, result } = await Promise.race(waiting.values())
      if (result.done === true) waiting.delete(iterator)
      else {
        yield result.value
        waiting.set(iterator, next(iterator))
      }
    }
  } finally {
    for (const [iterator, pending] of waiting) {
      pending.catch(() => {})
      // one that waits for its own next item ends when that comes
      void Promise.resolve(iterator.return?.()).catch(() => {})
    }
  }
}
