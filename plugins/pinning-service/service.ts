import { parseCid } from '../../core/cid/index.ts'
import {
  type CID,
  type Denylist,
  hasCode,
  type Logger,
  messageOf,
  type Network,
  type Startable,
  type Token,
  token
} from '../../core/index.ts'
import { addressesOfNode } from '../../core/network/index.ts'
import { pinningServiceErrors } from './errors.ts'
import type { Keeping } from './keeping.ts'
import { type Filter, matches } from './requests/filter.ts'
import { isId } from './requests/keys.ts'
import type { PinRequest, RequestId, RequestStatus, WantedPin } from './requests/request.ts'
import type { RequestTable } from './requests/table.ts'
import type { PinningServiceSettings } from './settings.ts'
import type { Worker } from './worker.ts'

/** Addresses that a client is told (the API's own bound). */
const MOST_DELEGATES = 20
/** The error of a change that was not begun. */
const REFUSALS = ['E_PINNING_MOST', 'E_PINNING_ABSENT']

interface PinningServiceParts {
  readonly table: RequestTable
  readonly keeping: Keeping
  readonly worker: Worker
  readonly denylist: Denylist | undefined
  readonly network: Network | undefined
  readonly settings: Pick<PinningServiceSettings, 'delegates' | 'limits'>
  readonly log: Logger
}

/** A request as it stands now. */
export interface CurrentRequest extends Omit<PinRequest, 'status'> {
  readonly status: RequestStatus
}

/** Some of the requests, and how many there are of the same kind, these included. */
interface FoundRequests {
  readonly count: number
  readonly found: readonly CurrentRequest[]
}

/** The requests of clients, to each its own alone. Requests are written down first, and pins follow them. */
export class PinningService implements Startable {
  readonly #parts: PinningServiceParts
  readonly #over = new AbortController()
  #beginning: Promise<void> = Promise.resolve()
  #sweeping: Promise<void> = Promise.resolve()
  #resuming: Promise<void> | undefined

  constructor(parts: PinningServiceParts) {
    this.#parts = parts
  }

  /** Once clients can reach it: what an earlier process left is put in order, and what waits is worked on. */
  begin(): void {
    this.#beginning = this.#begun(async signal => {
      for await (const cid of this.#parts.table.cids(signal)) await this.recheck(cid)
    })
  }

  /** The work on requests that wait; pins that nobody wants any more go then. Never rejects. */
  async #begun(first: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { keeping, worker, log } = this.#parts
    const { signal } = this.#over
    const failed = (error: unknown) => {
      if (!signal.aborted) log.error(`requests for pins wait for the next start: ${messageOf(error)}`)
    }
    try {
      await first(signal)
      await worker.begin()
      // what was to be replaced stays until what replaces it is there
      this.#sweeping = worker
        .idle()
        .then(() => keeping.sweep(signal))
        .catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  /**
   * Makes a change. One that fails, if not refused, may be made all the same: what follows from it is then found in the datastore, as at a
   * start, and once for all that failed so far.
   */
  async #change<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change()
    } catch (error) {
      if (!REFUSALS.some(code => hasCode(error, code))) {
        this.#resuming ??= this.#beginning.then(() => {
          this.#resuming = undefined
          this.#beginning = this.#begun(async () => {})
        })
      }
      throw error
    }
  }

  /** Resolves when nothing waits, and what an earlier process left is in order. */
  async settled(): Promise<void> {
    await this.#resuming
    await this.#beginning
    await this.#sweeping
    await this.#parts.worker.idle()
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#parts.worker.stop()
    await this.#resuming
    await this.#beginning
  }

  /** Peers that take content for this node. */
  get delegates(): readonly string[] {
    const { settings, network } = this.#parts
    return settings.delegates.length > 0 ? settings.delegates : addressesOfNode(network).slice(0, MOST_DELEGATES)
  }

  /**
   * @param instead - the ID of a request that ends in the same moment
   * @throws E_PINNING_MOST, E_PINNING_ABSENT, E_PINNING_DENIED
   */
  async add(owner: string, pin: WantedPin, instead?: string): Promise<CurrentRequest> {
    const { table, keeping, worker, denylist } = this.#parts
    const cid = parseCid(pin.cid)
    const denial = await denylist?.ofBlock(cid)
    if (denial !== undefined) throw pinningServiceErrors.E_PINNING_DENIED(pin.cid, denial.status)
    if (instead !== undefined && !isId(instead)) throw pinningServiceErrors.E_PINNING_ABSENT(instead)
    return this.#change(async () => {
      const { made, replaced } = await table.add(owner, pin, instead)
      // it is written down by now, so that a pin which is there stays there
      const isKept = (await keeping.keeps(cid)) && (await table.settle(made, 'pinned'))
      if (!isKept) worker.push(made)
      if (replaced !== undefined) await this.#ended(replaced, isKept ? undefined : made)
      return this.#current(isKept ? { ...made, status: 'pinned' } : made)
    })
  }

  /** @throws E_PINNING_ABSENT */
  async get(of: RequestId): Promise<CurrentRequest> {
    const request = isId(of.id) ? await this.#parts.table.get(of) : undefined
    if (request === undefined) throw pinningServiceErrors.E_PINNING_ABSENT(of.id)
    return this.#current(request)
  }

  /** The newest first: as many as are asked for, or as fit into an answer, but one at least. */
  async find(owner: string, filter: Filter, signal: AbortSignal): Promise<FoundRequests> {
    const found: CurrentRequest[] = []
    let count = 0
    let room = this.#parts.settings.limits.answerBytes
    for await (const request of this.#among(owner, filter, signal)) {
      signal.throwIfAborted()
      const current = this.#current(request)
      if (!matches(filter, current)) continue
      count++
      if (found.length >= filter.limit || room <= 0) continue
      room -= sizeOf(current)
      if (room >= 0 || found.length === 0) found.push(current)
    }
    return { count, found }
  }

  /** All requests, or those of one client, for the node's own user. */
  async *list(owner: string | undefined, signal: AbortSignal): AsyncGenerator<CurrentRequest> {
    for await (const request of this.#parts.table.list(owner, signal)) yield this.#current(request)
  }

  /** Ends a request, and the pin unless somebody else wants it. @throws E_PINNING_ABSENT */
  async remove(of: RequestId): Promise<void> {
    if (!isId(of.id) || !(await this.#removed(of))) throw pinningServiceErrors.E_PINNING_ABSENT(of.id)
  }

  /** Ends all requests of a client. @returns how many there were */
  async removeAll(owner: string, signal: AbortSignal): Promise<number> {
    let count = 0
    for await (const request of this.#parts.table.list(owner, signal)) {
      if (await this.#removed(request)) count++
    }
    return count
  }

  /** Puts requests whose pin the node's user has removed back into the queue. */
  async recheck(cid: CID): Promise<void> {
    const { table, keeping, worker } = this.#parts
    if (await keeping.keeps(cid)) return
    for await (const request of table.wanting(cid)) {
      if (request.status !== 'pinned') continue
      if (await this.#change(() => table.settle(request, 'queued'))) worker.push(request)
    }
  }

  /** @returns false where it was not there */
  #removed(of: RequestId): Promise<boolean> {
    return this.#change(async () => {
      const removed = await this.#parts.table.remove(of)
      if (removed !== undefined) await this.#ended(removed)
      return removed !== undefined
    })
  }

  /** @param successor - what is to be pinned before the pin goes, so that what both have in common stays */
  async #ended(request: PinRequest, successor?: PinRequest): Promise<void> {
    const { worker, keeping } = this.#parts
    worker.drop(request)
    const release = () => keeping.release(parseCid(request.pin.cid))
    if (successor === undefined) await release()
    else worker.after(successor, release)
  }

  /** Of one or a few CIDs the datastore knows who wants them. Their order is that of all: the newest first. */
  async *#among(owner: string, { cids }: Filter, signal: AbortSignal): AsyncGenerator<PinRequest> {
    const { table } = this.#parts
    if (cids === undefined) return yield* table.list(owner, signal)
    const all: PinRequest[] = []
    for (const cid of cids) for await (const request of table.wanting(cid, owner, signal)) all.push(request)
    yield* all.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #current(request: PinRequest): CurrentRequest {
    const nodes = request.status === 'queued' ? this.#parts.worker.nodesOf(request) : undefined
    if (nodes === undefined) return request
    return { ...request, status: 'pinning', details: `${nodes} nodes so far` }
  }
}

function sizeOf({ pin }: CurrentRequest): number {
  return Buffer.byteLength(JSON.stringify(pin))
}

export const PinningServiceToken: Token<PinningService> = token<PinningService>('pinning-service')
