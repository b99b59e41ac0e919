import { parseCid } from '../../core/cid/index.ts'
import { type CID, type Logger, messageOf, type Network } from '../../core/index.ts'
import { parseAddressOfPeer } from '../../core/multiaddr/index.ts'
import { connectWith } from '../../core/network/index.ts'
import { pinningServiceErrors } from './errors.ts'
import type { Keeping } from './keeping.ts'
import { names, publicWays } from './origins.ts'
import { Queue } from './queue.ts'
import type { PinRequest, RequestId } from './requests/request.ts'
import type { RequestTable } from './requests/table.ts'
import type { PinningServiceSettings } from './settings.ts'

interface WorkerParts {
  readonly table: RequestTable
  readonly keeping: Keeping
  /** undefined on a node without peers. */
  readonly network: Network | undefined
  readonly settings: Pick<PinningServiceSettings, 'limits' | 'privateOrigins'>
  readonly log: Logger
}

/** A request that is worked on. */
interface Running {
  readonly of: RequestId
  readonly stop: AbortController
  nodes: number
  /** When something new of it came last, in milliseconds. */
  at: number
  /** Whether it waits again once this is over. */
  again: boolean
  /** Whether it gives up its place to another client. */
  yields: boolean
}

/**
 * Works on what waits, so many requests at a time. Where several clients wait, no one has over one more in work than another: of those that have
 * more, what has come no further for longest waits again. What the node dies over waits again at its next start.
 */
export class Worker {
  readonly #parts: WorkerParts
  readonly #queue = new Queue()
  readonly #running = new Map<string, Running>()
  readonly #over = new AbortController()
  readonly #done = new Set<Promise<void>>()
  /** The work that follows once a request is not worked on any more, by its name. */
  readonly #after = new Map<string, Array<() => Promise<void>>>()
  readonly #whenIdle: Array<() => void> = []
  #begun = false

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /** From here on there is work: what waits is found, and what comes is taken. */
  async begin(): Promise<void> {
    this.#begun = true
    const waiting: RequestId[] = []
    for await (const of of this.#parts.table.waiting(this.#over.signal)) waiting.push(of)
    // the newest is the first of a client's keys
    for (const of of waiting.reverse()) this.push(of)
  }

  /** A request that waits. Before {@link begin}, nothing: it is found then. */
  push(of: RequestId): void {
    if (!this.#begun || this.#over.signal.aborted) return
    const running = this.#running.get(nameOf(of))
    if (running !== undefined) running.again = true
    else {
      this.#queue.push(of)
      this.#next()
    }
  }

  /** Ends the work on a request that was removed. */
  drop(of: RequestId): void {
    const running = this.#running.get(nameOf(of))
    running?.stop.abort()
    if (this.#queue.drop(of) && running === undefined && this.#after.has(nameOf(of))) this.#track(of, Promise.resolve())
  }

  /** Does something once a request is pinned, has failed or was removed. */
  after(of: RequestId, then: () => Promise<void>): void {
    this.#after.set(nameOf(of), [...(this.#after.get(nameOf(of)) ?? []), then])
    if (this.#begun && !this.#running.has(nameOf(of)) && !this.#queue.has(of)) this.#track(of, Promise.resolve())
  }

  /** Resolves when nothing waits and nothing is worked on. */
  idle(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise(resolve => this.#whenIdle.push(resolve))
  }

  /** How many nodes of it were found; undefined where it is not worked on. */
  nodesOf(of: RequestId): number | undefined {
    return this.#running.get(nameOf(of))?.nodes
  }

  async stop(): Promise<void> {
    this.#over.abort()
    for (const { stop } of this.#running.values()) stop.abort()
    await Promise.all(this.#done)
  }

  #next(): void {
    while (!this.#over.signal.aborted) {
      const worked = Map.groupBy(this.#held(), ({ of }) => of.owner)
      const owner = this.#queue.next(client => worked.get(client)?.length ?? 0)
      if (owner === undefined) return
      if (this.#running.size >= this.#parts.settings.limits.parallel) {
        this.#makeRoom(worked, owner)
        return
      }
      const of = this.#queue.take(owner)
      const running = { of, stop: new AbortController(), nodes: 0, at: performance.now(), again: false, yields: false }
      this.#running.set(nameOf(of), running)
      this.#track(of, this.#work(of, running))
    }
  }

  /** The requests that are worked on, but for those about to give up their places. */
  #held(): readonly Running[] {
    return [...this.#running.values()].filter(({ yields }) => !yields)
  }

  /** Ends one of the client that has most, where it stays with no less than the one that waits then has. */
  #makeRoom(worked: ReadonlyMap<string, readonly Running[]>, waiting: string): void {
    if (this.#held().length < this.#running.size) return
    const most = [...worked.values()].reduce((one, other) => (other.length > one.length ? other : one))
    if (most.length - 1 <= (worked.get(waiting)?.length ?? 0)) return
    const idlest = most.reduce((one, other) => (other.at < one.at ? other : one))
    idlest.yields = true
    idlest.again = true
    idlest.stop.abort()
  }

  /** Sees to the end of the work on a request, and to what comes after it. */
  #track(of: RequestId, work: Promise<void>): void {
    const { log } = this.#parts
    const done = work
      .catch(error => {
        if (!this.#over.signal.aborted) log.error(`the request ${of.id} for a pin stays as it is: ${messageOf(error)}`)
      })
      .then(async () => {
        const running = this.#running.get(nameOf(of))
        this.#running.delete(nameOf(of))
        if (running?.again) return this.#queue.push(of)
        const after = this.#after.get(nameOf(of)) ?? []
        this.#after.delete(nameOf(of))
        if (!this.#over.signal.aborted) for (const then of after) await then()
      })
      .catch(error => log.error(`a pin that nobody wants any more stays until the next start: ${messageOf(error)}`))
    this.#done.add(done)
    void done.then(() => {
      this.#done.delete(done)
      this.#next()
      if (this.#isIdle()) for (const resolve of this.#whenIdle.splice(0)) resolve()
    })
  }

  #isIdle(): boolean {
    return this.#running.size === 0 && this.#done.size === 0 && this.#queue.isEmpty
  }

  async #work(of: RequestId, running: Running): Promise<void> {
    const { table, keeping, log } = this.#parts
    const request = await table.get(of)
    if (request?.status !== 'queued') return
    const cid = parseCid(request.pin.cid)
    let failed: unknown
    try {
      await this.#pin(cid, request, running)
    } catch (error) {
      // the node stops: it waits for the next start
      if (this.#over.signal.aborted) return
      // whoever removes it from here on ends its pin
      if (running.yields && (await table.get(of)) !== undefined) return
      failed = error
    }
    const isThere = failed === undefined ? await table.settle(of, 'pinned') : await table.settle(of, 'failed', messageOf(failed))
    if (failed !== undefined && isThere) log.info(`${request.pin.cid} could not be pinned for '${of.owner}': ${messageOf(failed)}`)
    if (failed !== undefined || !isThere) await keeping.release(cid)
  }

  /** @throws E_PINNING_STALLED, E_PINNING_LONG, E_PINNING_NODES, and what fetching throws */
  async #pin(cid: CID, request: PinRequest, running: Running): Promise<void> {
    const { stallTimeout, pinTimeout, nodes: most } = this.#parts.settings.limits
    const { stop } = running
    const give = (error: Error) => stop.abort(error)
    const long = setTimeout(() => give(pinningServiceErrors.E_PINNING_LONG(pinTimeout)), pinTimeout)
    const stalled = setTimeout(() => give(pinningServiceErrors.E_PINNING_STALLED(stallTimeout)), stallTimeout)
    try {
      await this.#connect(request, stop.signal)
      await this.#parts.keeping.keep(cid, {
        signal: stop.signal,
        onProgress: nodes => {
          running.nodes = nodes
          running.at = performance.now()
          stalled.refresh()
          if (nodes > most) give(pinningServiceErrors.E_PINNING_NODES(most))
        }
      })
    } finally {
      clearTimeout(long)
      clearTimeout(stalled)
    }
  }

  /** Connects with those who have it, as the request says. */
  async #connect({ pin: { origins = [] } }: PinRequest, signal: AbortSignal): Promise<void> {
    const { network, settings, log } = this.#parts
    if (network === undefined) return
    const { originTimeout: within } = settings.limits
    const ways = await Promise.all(origins.map(parseAddressOfPeer))
    const answered = AbortSignal.any([signal, AbortSignal.timeout(within / 2)])
    const open = settings.privateOrigins ? ways : await publicWays(ways, names, answered)
    signal.throwIfAborted()
    await connectWith(network, open, { within, signal, log })
  }
}

function nameOf({ owner, id }: RequestId): string {
  return `${id} ${owner}`
}
