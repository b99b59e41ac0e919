import type { Call, Command, Progress } from '../../../core/index.ts'

/** How far a call is, as a client is told. */
export interface Report {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** The time between two reports, in milliseconds. */
const EVERY = 100

/** Tells a client how far its call is: as the command declares it, else how many objects or bytes there are. Each report is beyond the last. */
export class Watch {
  readonly #command: Command
  readonly #call: Call
  readonly #send: (report: Report) => void
  /** The sum for things that are done with, e.g. the files before. */
  #before = 0
  #last: Pick<Progress, 'done' | 'of'> = { done: 0 }
  #items = 0
  #told = -1
  #next = 0
  #waiting: Report | undefined

  constructor(command: Command, call: Call, send: (report: Report) => void) {
    this.#command = command
    this.#call = call
    this.#send = send
  }

  /** @returns whether the item says nothing but how far the call is */
  item(item: unknown): boolean {
    this.#items++
    const { progress } = this.#command
    if (progress === undefined) {
      this.#tell({ progress: this.#items, message: this.#items === 1 ? '1 object' : `${this.#items} objects` })
      return false
    }
    const state = progress.of(item, this.#call)
    if (state === undefined) return false
    const { done, of, total, unit, only = false } = state
    if (of !== this.#last.of || done < this.#last.done) this.#before += this.#last.done
    this.#last = { done, of }
    const sum = this.#before + done
    // a total that is about one of several things says nothing about all
    this.#tell({ progress: sum, ...(total === undefined || this.#before > 0 ? {} : { total }), message: `${sum} ${unit}` })
    return only
  }

  /** @param size - of the octets that have come so far */
  received(size: number, total: number | undefined): void {
    this.#tell({ progress: size, ...(total === undefined ? {} : { total }), message: `${size} bytes` })
  }

  /** Tells what is still untold, before the answer. */
  end(): void {
    if (this.#waiting !== undefined) this.#out(this.#waiting)
  }

  #tell(report: Report): void {
    this.#waiting = report
    if (performance.now() >= this.#next) this.#out(report)
  }

  #out(report: Report): void {
    this.#waiting = undefined
    if (report.progress <= this.#told) return
    this.#told = report.progress
    this.#next = performance.now() + EVERY
    this.#send(report)
  }
}
