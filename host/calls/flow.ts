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
    const end = this.#end
    const leave = (inner: Pieces) => this.#leave(inner)
    const report = (error: unknown) => this.#reports.failed(entry, call, error)
    return {
      [Symbol.asyncIterator]() {
        const inner = Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
        return {
          async next() {
            try {
              const step = await call.race(inner.next())
              if (step.done === true) end(call, false)
              return step
            } catch (error) {
              report(error)
              end(call, true)
              leave(inner)
              throw error
            }
          },
          async return() {
            call.abort(commonErrors.E_CANCELLED())
            end(call, false)
            leave(inner)
            return { done: true as const, value: undefined }
          }
        }
      }
    }
  }

  /** Settles when what was left has come to its end. */
  async left(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  /** Tells what is inside a stream that nobody reads it. Nobody waits for it but the host, when it stops. */
  #leave(inner: Pieces): void {
    const left: Promise<unknown> = Promise.resolve(inner.return?.())
      .catch(() => {})
      .finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }
}
