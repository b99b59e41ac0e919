/** Items that one task makes and another takes, a few at a time. */
const MOST = 64

/**
 * Runs `produce` and yields what it pushes; `push` waits while nobody takes. An error of the producer is thrown where its item would
 * have come. When the taker leaves, the next `push` throws, so the producer ends too.
 */
export async function* channel<T>(produce: (push: (item: T) => Promise<void>) => Promise<void>): AsyncGenerator<T> {
  const items: T[] = []
  let done = false
  let left = false
  let failure: { error: unknown } | undefined
  let wakeTaker: (() => void) | undefined
  let wakeProducer: (() => void) | undefined

  const push = async (item: T) => {
    if (left) throw new Error('nobody takes any more')
    items.push(item)
    wakeTaker?.()
    if (items.length >= MOST) {
      await new Promise<void>(resolve => {
        wakeProducer = resolve
      })
      if (left) throw new Error('nobody takes any more')
    }
  }
  produce(push).then(
    () => {
      done = true
      wakeTaker?.()
    },
    error => {
      failure = { error }
      done = true
      wakeTaker?.()
    }
  )
  try {
    for (;;) {
      while (items.length > 0) yield items.shift()!
      wakeProducer?.()
      if (done && items.length === 0) break
      if (items.length === 0) {
        await new Promise<void>(resolve => {
          wakeTaker = resolve
          if (done || items.length > 0) resolve()
        })
      }
    }
    if (failure !== undefined) throw failure.error
  } finally {
    left = true
    wakeProducer?.()
  }
}
