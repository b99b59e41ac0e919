import { setTimeout as delay } from 'node:timers/promises'
import { MAX_DELAY } from '../../core/concurrency/index.ts'
import {
  type CID,
  type Datastore,
  hasCode,
  Key,
  type Logger,
  messageOf,
  type Names,
  networkErrors,
  type Provider,
  type ProvideStats,
  type Routing,
  type Startable,
  type SweepStats
} from '../../core/index.ts'
import { type ReproviderPlan, withinTime } from '../../core/network/index.ts'
import { provideErrors } from './errors.ts'
import { nameRoute } from './name-route.ts'
import type { ProvideQueue } from './queue.ts'
import { ALONE, type ProvideSettings } from './settings.ts'
import type { Sweep } from './sweep.ts'
import { Workers } from './workers.ts'

/** When the last pass began, as nanoseconds in digits (boxo 0.19, provider/reprovider.go). */
const LAST = new Key('/provider/reprovide/lastreprovide')

/** How long it waits where peers are there and none takes anything, in milliseconds. */
const RETRY = 5_000

interface ProviderParts {
  readonly routing: Pick<Routing, 'provide' | 'hasPeers' | 'onPeer' | 'getValue' | 'putValue'>
  /** Names, whose records travel by the same ways. */
  readonly names: Pick<Names, 'addRoute'> | undefined
  readonly datastore: Datastore
  readonly queue: ProvideQueue
  readonly plan: ReproviderPlan
  readonly settings: ProvideSettings
  readonly log: Logger
  /** The CIDs that a pass provides. */
  toProvide(signal: AbortSignal): AsyncIterable<CID>
  /** A sweep in the place of passes, where there is one way to tell others by and it can be swept; asked when everything has started. */
  sweep?(): Sweep | undefined
}

/** Tells others what this node has, in the background: what stands in the queue, and all again every interval. */
export class NodeProvider implements Provider, Startable {
  readonly #parts: ProviderParts
  readonly #over = new AbortController()
  readonly #done: Promise<void>[] = []
  #pass: Promise<void> | undefined
  #total = 0
  #time = 0n
  #lastBatch = 0
  #lastDuration = 0
  #lastRun = 0
  #reprovided = 0
  #reprovideTime = 0n
  #sweep: Sweep | undefined
  #active = 0

  constructor(parts: ProviderParts) {
    this.#parts = parts
  }

  get stats(): ProvideStats {
    const swept = this.#sweep?.stats
    const sweptTime = BigInt(Math.round((swept?.total.time ?? 0) * 1e6))
    const reprovided = this.#reprovided + (swept?.total.keys ?? 0)
    const total = this.#total + (swept?.total.keys ?? 0)
    return {
      total,
      lastBatch: swept === undefined ? this.#lastBatch : swept.lastRun === undefined ? 0 : swept.keys,
      average: averageOf(this.#time + sweptTime, total),
      lastDuration: swept === undefined ? this.#lastDuration : Math.round(swept.cycle.time * 1e6),
      lastRun: swept === undefined ? (this.#lastRun === 0 ? undefined : new Date(this.#lastRun)) : swept.lastRun,
      reprovided,
      averageReprovide: averageOf(this.#reprovideTime + sweptTime, reprovided)
    }
  }

  get sweep(): SweepStats | undefined {
    return this.#sweep?.stats
  }

  get queue(): Provider['queue'] {
    const { queue, plan } = this.#parts
    return { waiting: queue.length, active: this.#active, atOnce: this.#atOnce, serversAtOnce: plan.serversAtOnce }
  }

  /** New blocks that are provided at a time. */
  get #atOnce(): number {
    return this.#parts.plan.workers ?? this.#parts.settings.provideConcurrency
  }

  get off(): string | undefined {
    return this.#parts.plan.off
  }

  get interval(): number {
    return this.#parts.plan.interval
  }

  async start(): Promise<void> {
    const { plan, queue, names, routing } = this.#parts
    names?.addRoute(nameRoute(routing))
    if (plan.off !== undefined) return
    this.#lastRun = await this.#lastPass()
    await queue.open()
  }

  /** Begins when plugins have added their ways to tell others by. */
  async afterStart(): Promise<void> {
    const { plan, sweep } = this.#parts
    if (plan.off !== undefined) return
    this.#sweep = sweep?.()
    this.#done.push(this.#drain())
    if (this.#sweep !== undefined) this.#done.push(this.#sweep.run(this.#over.signal))
    else if (plan.interval > 0) this.#done.push(this.#periodically())
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await Promise.allSettled([...this.#done, this.#pass])
  }

  async provide(cids: readonly CID[], { again = true }: { again?: boolean } = {}): Promise<void> {
    if (this.#parts.plan.off !== undefined) return
    // also what the queue has no room for
    if (again) await this.#sweep?.add(cids)
    await this.#parts.queue.add(cids)
  }

  async reprovide({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#parts.plan.off !== undefined) return
    this.#pass ??= (this.#sweep?.now() ?? this.#wholePass()).finally(() => {
      this.#pass = undefined
    })
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await Promise.race([this.#pass, left])
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** One of all that the strategy says. What fails for one block is no reason to leave out the next. */
  async #wholePass(): Promise<void> {
    const { datastore } = this.#parts
    const signal = this.#over.signal
    const began = performance.now()
    this.#lastRun = Date.now()
    await datastore.put(LAST, Buffer.from(String(BigInt(this.#lastRun) * 1_000_000n)))
    const workers = new Workers<CID>(this.#atOnce, async cid => {
      const start = process.hrtime.bigint()
      if (!(await this.#tryOne(cid))) return
      this.#reprovided++
      this.#reprovideTime += process.hrtime.bigint() - start
    })
    let count = 0
    for await (const cid of this.#parts.toProvide(signal)) {
      if (signal.aborted) break
      await workers.add(cid)
      count++
    }
    await workers.idle()
    if (signal.aborted) throw provideErrors.E_REPROVIDE_STOPPED()
    this.#lastBatch = count
    this.#lastDuration = Math.round((performance.now() - began) * 1e6)
  }

  async #periodically(): Promise<void> {
    const { plan, settings, log } = this.#parts
    const { signal } = this.#over
    try {
      await delay(settings.firstReprovide, undefined, { signal, ref: false })
      while (!signal.aborted) {
        const due = (await this.#lastPass()) + plan.interval - Date.now()
        if (due > 0) await delay(Math.min(due, MAX_DELAY), undefined, { signal, ref: false })
        else if (!this.#parts.routing.hasPeers) await this.#company()
        else await this.reprovide()
      }
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, `providing everything again failed: ${messageOf(error)}`)
    }
  }

  /** The last pass, in milliseconds since 1970; 0 for never. */
  async #lastPass(): Promise<number> {
    try {
      return Number(Buffer.from(await this.#parts.datastore.get(LAST)).toString()) / 1e6 || 0
    } catch {
      return 0
    }
  }

  /** Provides what stands in the queue, for as long as the node runs. */
  async #drain(): Promise<void> {
    const { queue, log } = this.#parts
    const { signal } = this.#over
    while (!signal.aborted) {
      await queue.filled(signal)
      if (signal.aborted) return
      if (!this.#parts.routing.hasPeers) {
        await this.#company()
        continue
      }
      try {
        const first = await queue.first(this.#atOnce * 4)
        let isTold = false
        const workers = new Workers<(typeof first)[number]>(this.#atOnce, async ({ cid, done }) => {
          this.#active++
          const wasTold = await this.#tryOne(cid)
          this.#active--
          if (!wasTold) return
          isTold = true
          await done()
        })
        for (const item of first) await workers.add(item)
        await workers.idle()
        if (!isTold) await this.#pause(RETRY)
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error }, `providing new blocks failed: ${messageOf(error)}`)
        await this.#pause(RETRY)
      }
    }
  }

  /** @returns false where there was nobody to tell: it is to be tried again */
  async #tryOne(cid: CID): Promise<boolean> {
    const { routing, settings, log } = this.#parts
    const { signal } = this.#over
    const began = process.hrtime.bigint()
    try {
      let asked = false
      for await (const event of withinTime(settings.provideTimeout, signal, inner => routing.provide(cid, { signal: inner })))
        asked ||= event.type !== 'failure' || event.peer !== undefined
      if (!asked) return false
      this.#total++
      this.#time += process.hrtime.bigint() - began
      return true
    } catch (error) {
      if (signal.aborted || hasCode(error, networkErrors.E_NO_PEERS_TO_ASK().code)) return false
      log.debug(`${cid} was not provided: ${messageOf(error)}`)
      return true
    }
  }

  /** Waits until there is a peer. */
  async #company(): Promise<void> {
    const come = new AbortController()
    const end = this.#parts.routing.onPeer(() => come.abort())
    try {
      if (!this.#parts.routing.hasPeers) await this.#pause(ALONE, come.signal)
    } finally {
      end()
    }
  }

  /** Ends early where the node stops, or `sooner` fires. */
  async #pause(milliseconds: number, sooner?: AbortSignal): Promise<void> {
    const { signal } = this.#over
    const until = sooner === undefined ? signal : AbortSignal.any([signal, sooner])
    await delay(milliseconds, undefined, { signal: until, ref: false }).catch(() => {})
  }
}

const averageOf = (time: bigint, count: number) => (count === 0 ? 0 : Number(time / BigInt(count)))
