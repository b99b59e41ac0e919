import { messageOf } from '../../../core/index.ts'

/** Milliseconds after a refused write until the first attempt, and at most between two: each takes twice as long to come as the one before. */
const FIRST_AFTER = 500
const LONGEST_AFTER = 60_000

export interface MendingOptions {
  /** Told why nothing is written any more, or that it is again: undefined. */
  onRefusing?(reason: string | undefined): void
  /** What was read before may not hold any more: a write that was reported as failed may have been done. */
  onReopened?(): void
}

interface Mended {
  /** Writes something, which succeeds once all is well. */
  probe(): Promise<void>
  /** Opens the database again in place. */
  reopen(): Promise<void>
}

/**
 * Has a database that takes no writes take them again. RocksDB goes on by itself after some failures; after others, as of its log, it has to be
 * opened again.
 */
export class Mending {
  readonly #mended: Mended
  readonly #options: MendingOptions
  #timer: NodeJS.Timeout | undefined
  #attempt: Promise<void> | undefined
  #after = FIRST_AFTER
  #isStopped = false
  #reason: string | undefined

  constructor(mended: Mended, options: MendingOptions) {
    this.#mended = mended
    this.#options = options
  }

  start(): void {
    this.#isStopped = false
  }

  /** Call when a write was refused. */
  refused(reason: string): void {
    if (this.#reason !== undefined || this.#isStopped) return
    this.#reason = reason
    this.#options.onRefusing?.(reason)
    this.#again()
  }

  /** Call when one was done. */
  wrote(): void {
    if (this.#reason === undefined) return
    this.#reason = undefined
    this.#after = FIRST_AFTER
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#options.onRefusing?.(undefined)
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#attempt
  }

  #again(): void {
    if (this.#isStopped || this.#reason === undefined) return
    this.#timer = setTimeout(() => {
      this.#attempt = this.#mend().finally(() => {
        this.#attempt = undefined
        this.#again()
      })
    }, this.#after).unref()
    this.#after = Math.min(this.#after * 2, LONGEST_AFTER)
  }

  /** Never fails: a write that is done says that all is well. */
  async #mend(): Promise<void> {
    try {
      await this.#mended.probe().catch(async () => {
        if (this.#isStopped) return
        await this.#mended.reopen()
        this.#options.onReopened?.()
        await this.#mended.probe()
      })
    } catch (error) {
      if (this.#reason !== undefined)
        this.#options.onRefusing?.(`${this.#reason}; opening the database again did not help: ${messageOf(error)}`)
    }
  }
}
