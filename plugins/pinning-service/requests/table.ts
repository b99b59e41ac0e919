import type { Batch } from 'interface-datastore'
import { parseCid } from '../../../core/cid/index.ts'
import { KeyedLock } from '../../../core/concurrency/index.ts'
import type { CID, Datastore } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import type { PinningServiceLimits } from '../settings.ts'
import { cidIn, cidKey, idIn, newId, PREFIXES, prefixOfCid, prefixOfOwner, requestKey, waitingKey } from './keys.ts'
import { decodeRequest, encodeRequest, type PinRequest, type RequestId, type WantedPin } from './request.ts'

const NOTHING = new Uint8Array()

interface TableParts {
  readonly datastore: Datastore
  readonly limits: Pick<PinningServiceLimits, 'requests' | 'requestsPerToken'>
}

/**
 * The requests in the datastore. Each change is one batch: the request, that it waits, and that it wants its CID stand or fall together, and
 * survive power loss once the change resolves.
 */
export class RequestTable {
  readonly #datastore: Datastore
  readonly #limits: TableParts['limits']
  /** Changes of one client come one after the other. */
  readonly #locks = new KeyedLock()
  /** How many requests each client has. */
  readonly #counts = new Map<string, number>()
  /** Clients a change of whose requests failed: it may have been made all the same, so that they are counted anew before the next one. */
  readonly #uncertain = new Set<string>()
  #all = 0
  #counting: Promise<void> | undefined

  constructor({ datastore, limits }: TableParts) {
    this.#datastore = datastore
    this.#limits = limits
  }

  /** @throws E_PINNING_RECORD */
  async get(of: RequestId): Promise<PinRequest | undefined> {
    const key = requestKey(of)
    try {
      return decodeRequest(key, of, await this.#datastore.get(key))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }

  /** The requests of a client, the newest first; of all, client by client. */
  async *list(owner?: string, signal?: AbortSignal): AsyncGenerator<PinRequest> {
    const prefix = owner === undefined ? PREFIXES.requests : prefixOfOwner(owner)
    for await (const { key, value } of this.#datastore.query({ prefix }, { signal })) yield decodeRequest(key, idIn(key), value)
  }

  /** The requests that want a CID. */
  async *wanting(cid: CID, owner?: string, signal?: AbortSignal): AsyncGenerator<PinRequest> {
    for await (const key of this.#datastore.queryKeys({ prefix: prefixOfCid(cid, owner) }, { signal })) {
      const request = await this.get(idIn(key))
      if (request !== undefined) yield request
    }
  }

  /** The requests that are to be worked on. */
  async *waiting(signal?: AbortSignal): AsyncGenerator<RequestId> {
    for await (const key of this.#datastore.queryKeys({ prefix: PREFIXES.waiting }, { signal })) yield idIn(key)
  }

  /** CIDs that any request wants, each once. */
  async *cids(signal?: AbortSignal): AsyncGenerator<CID> {
    let last: CID | undefined
    for await (const key of this.#datastore.queryKeys({ prefix: PREFIXES.cids }, { signal })) {
      const cid = cidIn(key)
      if (last?.equals(cid) !== true) yield cid
      last = cid
    }
  }

  /**
   * Takes a request down, with another one removed in the same moment where it is put in its place.
   *
   * @throws E_PINNING_MOST; E_PINNING_ABSENT where the one to be replaced is not there
   */
  async add(owner: string, pin: WantedPin, instead?: string): Promise<{ made: PinRequest; replaced?: PinRequest }> {
    return this.#change(owner, async () => {
      const replaced = instead === undefined ? undefined : await this.get({ owner, id: instead })
      if (instead !== undefined && replaced === undefined) throw pinningServiceErrors.E_PINNING_ABSENT(instead)
      if (replaced === undefined) this.#checkRoom(owner)
      const at = Math.max(Date.now(), (await this.#newest(owner)) + 1)
      const made: PinRequest = { owner, id: newId(at), status: 'queued', created: new Date(at).toISOString(), pin }
      const batch = this.#datastore.batch()
      if (replaced !== undefined) for (const key of keysOf(replaced)) batch.delete(key)
      batch.put(requestKey(made), encodeRequest(made))
      batch.put(cidKey(parseCid(pin.cid), made), NOTHING)
      batch.put(waitingKey(made), NOTHING)
      await this.#commit(owner, batch, replaced === undefined ? 1 : 0)
      return { made, ...(replaced !== undefined && { replaced }) }
    })
  }

  /** @returns what was removed; undefined where it was not there */
  async remove(of: RequestId): Promise<PinRequest | undefined> {
    return this.#change(of.owner, async () => {
      const request = await this.get(of)
      if (request === undefined) return undefined
      const batch = this.#datastore.batch()
      for (const key of keysOf(request)) batch.delete(key)
      await this.#commit(of.owner, batch, -1)
      return request
    })
  }

  /** Says what became of a request. @returns false where it is not there any more */
  async settle(of: RequestId, status: PinRequest['status'], details?: string): Promise<boolean> {
    return this.#locks.run(of.owner, async () => {
      const request = await this.get(of)
      if (request === undefined) return false
      const batch = this.#datastore.batch()
      batch.put(requestKey(of), encodeRequest({ ...request, status, details }))
      if (status === 'queued') batch.put(waitingKey(of), NOTHING)
      else batch.delete(waitingKey(of))
      await batch.commit()
      await this.#datastore.sync?.()
      return true
    })
  }

  /** Milliseconds of a client's newest request; 0 where it has none. */
  async #newest(owner: string): Promise<number> {
    for await (const { key, value } of this.#datastore.query({ prefix: prefixOfOwner(owner), limit: 1 }))
      return Date.parse(decodeRequest(key, idIn(key), value).created)
    return 0
  }

  /** A change of what a client has, when nothing else changes that, and the numbers are those of the datastore. */
  async #change<T>(owner: string, change: () => Promise<T>): Promise<T> {
    await this.#counted()
    return this.#locks.run(owner, async () => {
      if (this.#uncertain.has(owner)) await this.#recount(owner)
      return change()
    })
  }

  /** @param more - how many requests a client has more afterwards */
  async #commit(owner: string, batch: Batch, more: number): Promise<void> {
    // others change theirs meanwhile: what may come takes room from now on, what may go does so until it is gone
    if (more > 0) this.#add(owner, more)
    this.#uncertain.add(owner)
    await batch.commit()
    await this.#datastore.sync?.()
    if (more < 0) this.#add(owner, more)
    this.#uncertain.delete(owner)
  }

  /** @throws E_PINNING_MOST */
  #checkRoom(owner: string): void {
    const { requests, requestsPerToken } = this.#limits
    if ((this.#counts.get(owner) ?? 0) >= requestsPerToken) throw pinningServiceErrors.E_PINNING_MOST(requestsPerToken, 'requestsPerToken')
    if (this.#all >= requests) throw pinningServiceErrors.E_PINNING_MOST(requests, 'requests')
  }

  #add(owner: string, more: number): void {
    const count = (this.#counts.get(owner) ?? 0) + more
    if (count === 0) this.#counts.delete(owner)
    else this.#counts.set(owner, count)
    this.#all += more
  }

  async #recount(owner: string): Promise<void> {
    let count = 0
    for await (const _ of this.#datastore.queryKeys({ prefix: prefixOfOwner(owner) })) count++
    this.#add(owner, count - (this.#counts.get(owner) ?? 0))
    this.#uncertain.delete(owner)
  }

  /** Before the first change: from then on the numbers are those of the datastore. */
  #counted(): Promise<void> {
    this.#counting ??= this.#countAll().catch(error => {
      this.#counting = undefined
      throw error
    })
    return this.#counting
  }

  async #countAll(): Promise<void> {
    this.#counts.clear()
    this.#all = 0
    for await (const key of this.#datastore.queryKeys({ prefix: PREFIXES.requests })) this.#add(idIn(key).owner, 1)
  }
}

function keysOf(request: PinRequest) {
  return [requestKey(request), cidKey(parseCid(request.pin.cid), request), waitingKey(request)]
}
