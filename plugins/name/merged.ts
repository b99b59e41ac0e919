/** The items of several sources, as they come. Ends with the last of them, or as soon as `signal` fires; a source that fails is told of and left. */
export async function* merged<T>(
  sources: ReadonlyArray<AsyncIterable<T>>,
  signal: AbortSignal,
  onFailure: (source: number, error: unknown) => void
): AsyncGenerator<T> {
  const over = Promise.withResolvers<undefined>()
  const end = () => over.resolve(undefined)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const iterators = sources.map(source => source[Symbol.asyncIterator]())
  const waiting = new Map<number, Promise<{ source: number; result: IteratorResult<T, unknown> }>>()
  const ask = (source: number) => {
    const result = iterators[source]!.next().catch((error: unknown): IteratorResult<T, unknown> => {
      if (!signal.aborted) onFailure(source, error)
      return { done: true, value: undefined }
    })
    waiting.set(
      source,
      result.then(found => ({ source, result: found }))
    )
  }
  try {
    for (const source of iterators.keys()) ask(source)
    while (waiting.size > 0) {
      const next = await Promise.race([...waiting.values(), over.promise])
      if (next === undefined) return
      const { source, result } = next
      waiting.delete(source)
      if (result.done) continue
      yield result.value
      ask(source)
    }
  } finally {
    signal.removeEventListener('abort', end)
    // a source that is still asked for something ends when it comes to it
    for (const iterator of iterators) void iterator.return?.().catch(() => undefined)
  }
}
