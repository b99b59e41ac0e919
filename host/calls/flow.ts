import { readable } from '../../core/errors.ts'
import { commonErrors } from '../../core/index.ts'
import type { Reports } from './reports.ts'
import type { RunningCall } from './running-call.ts'
import type { CallableCommand } from './table.ts'

type Pieces = AsyncIterator<unknown> | Iterator<unknown>

/** Replies that flow: each ends with its call, and at once when the call is aborted. */
export class Flow {
  readonly #reports: Reports
  readonly #end: (call: RunningCall, failed: boolean) => void
  /** The work that streams which were left still do behind their callers. */
  readonly #leaving = new Set<Promise<unknown>>()

  /** @param end - told once a call has come to its end */
  constructor(reports: Reports, end: (call: RunningCall, failed: boolean) => void) {
    this.#reports = reports
    this.#end = end
  }

  of<T>(entry: CallableCommand, call: RunningCall, from: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
    return { [Symbol.asyncIterator]: () => new Flowing<T>(this, entry, call, from) }
  }

  /** Settles when what was left has come to its end. */
  async left(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  ended(call: RunningCall): void {
    this.#end(call, false)
  }

  failed(entry: CallableCommand, call: RunningCall, error: unknown): void {
    this.#reports.failed(entry, call, error)
    this.#end(call, true)
  }

  /** Tells what is inside a stream that nobody reads it. Nobody waits for it but the host, when it stops. */
  leave(inner: Pieces): void {
    const left: Promise<unknown> = Promise.resolve(inner.return?.())
      .catch(() => {})
      .finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }
}

/** One reply that is read. */
class Flowing<T> implements AsyncIterator<T> {
  readonly #flow: Flow
  readonly #entry: CallableCommand
  readonly #call: RunningCall
  readonly #inner: AsyncIterator<T> | Iterator<T>

  constructor(flow: Flow, entry: CallableCommand, call: RunningCall, from: AsyncIterable<T> | Iterable<T>) {
    this.#flow = flow
    this.#entry = entry
    this.#call = call
    this.#inner = Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      const step = await this.#call.race(this.#inner.next())
      if (step.done === true) this.#flow.ended(this.#call)
      return step
    } catch (thrown) {
      const error = readable(thrown)
      this.#flow.failed(this.#entry, this.#call, error)
      this.#flow.leave(this.#inner)
      throw error
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#call.abort(commonErrors.E_CANCELLED())
    this.#flow.ended(this.#call)
    this.#flow.leave(this.#inner)
    return { done: true, value: undefined }
  }
}
