import { Buckets } from '../../core/callers/index.ts'
import { verifyBlock } from '../../core/car/verify.ts'
import { cidToString, isDasl } from '../../core/cid/index.ts'
import { type Budget } from '../../core/concurrency/index.ts'
import { trimRight } from '../../core/go/index.ts'
import { type CID, type Logger, messageOf } from '../../core/index.ts'
import { retrievalErrors } from './errors.ts'
import { type BlockRequests, Fault } from './request.ts'
import type { RetrievalSettings } from './settings.ts'

/** Statuses by which a gateway says that it has not got a block: it found none, may not give it, or searched for too long. */
const ABSENT: ReadonlySet<number> = new Set([404, 410, 451, 504])

/** How a host is asked for blocks. */
export interface Form {
  readonly accept: string | undefined
  url(base: URL, cid: CID): URL
  /** Whether the host can be asked for it at all. */
  serves(cid: CID): boolean
}

const below = (base: URL, path: string) => new URL(`${trimRight(base.href, '/')}${path}`)

/** Trustless Gateway Specification, raw blocks. */
export const TRUSTLESS: Form = {
  accept: 'application/vnd.ipld.raw',
  url: (base, cid) => below(base, `/ipfs/${cidToString(cid)}?format=raw`),
  serves: () => true
}

/** RASL (dasl.ing/rasl.html): nothing is negotiated, and only the CIDs of DASL are known. */
export const RASL: Form = {
  accept: undefined,
  url: (base, cid) => below(base, `/.well-known/rasl/${cidToString(cid)}`),
  serves: isDasl
}

/** What became of the requests to a gateway. */
export type Outcome = 'block' | 'absent' | 'failed' | 'left'

interface Waiter {
  go(): void
  refuse(error: Error): void
}

interface GatewayParts {
  /** The name in messages and metrics. */
  readonly name: string
  readonly base: URL
  readonly form: Form
  readonly settings: RetrievalSettings
  readonly requests: BlockRequests
  /** Of bytes on their way, of all gateways together. */
  readonly budget: Budget
  readonly log: Pick<Logger, 'info' | 'warn'>
  ended(outcome: Outcome, bytes: number): void
}

/** A host that is asked for blocks: how much of it at a time, and when it is left alone. */
export class Gateway {
  readonly name: string
  readonly #parts: GatewayParts
  readonly #bucket: Buckets
  readonly #waiting = new Set<Waiter>()
  #active = 0
  /** Failures without a success between them. */
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #restsUntil = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.name = parts.name
    const { perMinute } = parts.settings
    this.#bucket = new Buckets({ perSecond: perMinute / 60, burst: Math.max(1, perMinute / 6), callers: 1 })
  }

  serves(cid: CID): boolean {
    return this.#parts.form.serves(cid)
  }

  /** Requests that are under way or wait. */
  get load(): number {
    return this.#active + this.#waiting.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Milliseconds for which it is left alone. */
  get rests(): number {
    return Math.max(0, this.#restsUntil - performance.now())
  }

  /**
   * The block, held against its CID.
   *
   * @returns undefined where the gateway has not got it
   * @throws E_RETRIEVAL_GATEWAY, E_RETRIEVAL_RESTS, the reason of `signal`
   */
  async get(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined> {
    await this.#turn(signal)
    const { budget, settings, ended } = this.#parts
    const began = performance.now()
    let give = () => {}
    try {
      give = await budget.take(settings.maxBlock, signal)
      const bytes = await this.#ask(cid, signal)
      this.#answered()
      ended(bytes === undefined ? 'absent' : 'block', bytes?.length ?? 0)
      return bytes
    } catch (error) {
      ended(signal.aborted ? 'left' : 'failed', 0)
      signal.throwIfAborted()
      this.#failed(error, began)
      throw retrievalErrors.E_RETRIEVAL_GATEWAY(this.name, messageOf(error))
    } finally {
      give()
      this.#active--
      this.#next()
    }
  }

  /** @throws Fault */
  async #ask(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { base, form, requests, settings } = this.#parts
    const { status, bytes, retryAfter } = await requests.get(form.url(base, cid), form.accept, signal)
    if (bytes === undefined) {
      if (ABSENT.has(status)) return undefined
      throw new Fault(`it answers ${status}`, retryAfter)
    }
    try {
      verifyBlock({ cid, bytes })
    } catch {
      throw new Fault(`it answers with other bytes than those of ${cidToString(cid)}`, settings.maxBackoff)
    }
    return bytes
  }

  #answered(): void {
    if (this.#failures > 0) this.#parts.log.info(`${this.name} gives blocks again, after it failed ${this.#failures} times`)
    this.#failures = 0
  }

  /** @param began - when the request did: of those that were under way together, one counts */
  #failed(error: unknown, began: number): void {
    if (began < this.#failedAt) return
    const { settings, log } = this.#parts
    const { minBackoff, maxBackoff, patience } = settings
    this.#failures++
    this.#failedAt = performance.now()
    const asked = error instanceof Fault ? error.retryAfter : undefined
    const time = Math.min(maxBackoff, Math.max(minBackoff, asked ?? minBackoff * 2 ** (this.#failures - 1)))
    this.#restsUntil = this.#failedAt + time
    if (this.#failures === 1 || time > patience) log.warn(`${this.name} is left alone for ${time / 1000} s: ${messageOf(error)}`)
    if (time <= patience) return
    for (const { refuse } of this.#waiting) refuse(retrievalErrors.E_RETRIEVAL_RESTS(this.name, time))
    this.#waiting.clear()
  }

  /** Waits until it may be asked. @throws E_RETRIEVAL_RESTS where that would take long, the reason of `signal` */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const rests = this.rests
    if (rests > this.#parts.settings.patience) throw retrievalErrors.E_RETRIEVAL_RESTS(this.name, rests)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { go: resolve, refuse: reject }
    const leave = () => {
      this.#waiting.delete(waiter)
      reject(signal.reason)
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', leave, { once: true })
    this.#next()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Lets those who wait go, as far as they may: one at a time to a gateway that has failed. */
  #next(): void {
    const most = this.#failures > 0 ? 1 : this.#parts.settings.maxConcurrent
    for (const waiter of this.#waiting) {
      if (this.#active >= most) return
      const wait = this.rests || this.#bucket.take('') * 1000
      if (wait > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined
          this.#next()
        }, Math.ceil(wait))
        return
      }
      this.#waiting.delete(waiter)
      this.#active++
      waiter.go()
    }
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
