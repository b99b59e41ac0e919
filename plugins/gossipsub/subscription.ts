import type { PubsubMessage, PubsubSubscription } from '../../core/index.ts'

/** The cost of a message besides its data, in bytes. */
const OVERHEAD = 256

interface SubscriptionOptions {
  /** Most bytes that wait. */
  readonly most: number
  readonly signal: AbortSignal | undefined
  onDropped(): void
  onClosed(): void
}

type Waiter = PromiseWithResolvers<IteratorResult<PubsubMessage>>

/** The messages of a topic that one subscriber has not taken yet. What there is no room for is dropped: it holds up nobody else. */
export class Subscription implements PubsubSubscription, AsyncIterator<PubsubMessage> {
  readonly #options: SubscriptionOptions
  #waiting: PubsubMessage[] = []
  #size = 0
  /** Readers that wait for a message, the longest waiting first. */
  readonly #waiters: Waiter[] = []
  #closed = false
  readonly #abort = () => this.close()

  constructor(options: SubscriptionOptions) {
    this.#options = options
    options.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  push(message: PubsubMessage): void {
    if (this.#closed) return
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) waiter.resolve({ done: false, value: message })
    else if (this.#size + message.data.length + OVERHEAD > this.#options.most && this.#waiting.length > 0) this.#options.onDropped()
    else {
      this.#waiting.push(message)
      this.#size += message.data.length + OVERHEAD
    }
  }

  async next(): Promise<IteratorResult<PubsubMessage>> {
    this.#options.signal?.throwIfAborted()
    const message = this.#waiting.shift()
    if (message !== undefined) {
      this.#size -= message.data.length + OVERHEAD
      return { done: false, value: message }
    }
    if (this.#closed) return { done: true, value: undefined }
    const waiter: Waiter = Promise.withResolvers()
    this.#waiters.push(waiter)
    return waiter.promise
  }

  async return(): Promise<IteratorResult<PubsubMessage>> {
    this.close()
    return { done: true, value: undefined }
  }

  close(): void {
    if (this.#closed) return
    const { signal, onClosed } = this.#options
    this.#closed = true
    this.#waiting = []
    this.#size = 0
    signal?.removeEventListener('abort', this.#abort)
    for (const waiter of this.#waiters.splice(0)) {
      if (signal?.aborted) waiter.reject(signal.reason)
      else waiter.resolve({ done: true, value: undefined })
    }
    onClosed()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
