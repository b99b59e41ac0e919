import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_DELAY } from '../../core/concurrency/index.ts'
import {
  type CID,
  type Datastore,
  type Dht,
  hasCode,
  Key,
  type Logger,
  messageOf,
  networkErrors,
  type SweepCounts,
  type SweepStats
} from '../../core/index.ts'
import { parsePeerId } from '../../core/keys/index.ts'
import { commonBits, placeOf, type ReproviderPlan, withinTime } from '../../core/network/index.ts'
import { Turns } from '../../core/turns.ts'
import { provideErrors } from './errors.ts'
import { bitsOf, END, leading, PLACE_BITS, type ProvidedKey, type ProvideKeys } from './keys.ts'
import { Servers } from './servers.ts'
import { ALONE, type ProvideSettings } from './settings.ts'
import { Workers } from './workers.ts'

/** Servers that keep a record: as many as a look-up ends with (Kademlia's k). */
export const HOLDERS = 20

/** Look-ups that find the servers of one region at most; it takes two or three where nobody has crowded it. */
export const MAX_LOOKUPS = 16

/** Bits for which a key is searched whose place begins with them: 2^16 hashes take 50 ms. A DHT of a million servers has regions of 15. */
export const MAX_SEARCHED_BITS = 16

/** Attempts at a region that cannot be told of, until it is left to the next cycle, and milliseconds between two of them. */
export const ATTEMPTS = 3
const RETRY = 5_000

/** The part of its time for which a listing works: 20 %. */
const WORKING = 0.2

/** Where the sweep is. */
const STATE = new Key('/provide/sweep')

interface State {
  readonly strategy: string
  /** The number of the last listing, whether it is the one of this cycle, and the keys that it found. */
  listing: number
  isListed: boolean
  keys: number
  /** When that was, in milliseconds since 1970. */
  ranAt: number
  /** When this cycle began, in milliseconds since 1970, and for how long it goes: 0 tells all at once. */
  began: number
  span: number
  /** The place that comes next. */
  position: number
}

type Counts = { -readonly [name in keyof SweepCounts]: number } & { prefixBits: number }

const none = (): Counts => ({
  regions: 0,
  prefixBits: 0,
  servers: 0,
  failedServers: 0,
  keys: 0,
  failedKeys: 0,
  records: 0,
  time: 0
})

interface SweepParts {
  readonly dht: Pick<Dht, 'closest' | 'tell' | 'size'>
  /** This node, which keeps records itself where it is among the closest. */
  readonly self: string
  readonly datastore: Datastore
  readonly keys: ProvideKeys
  readonly plan: ReproviderPlan
  readonly settings: Pick<ProvideSettings, 'provideTimeout' | 'firstReprovide'>
  readonly log: Logger
  /** What the strategy says, as often as it comes. */
  toProvide(signal: AbortSignal): AsyncIterable<CID>
  onPeer(listener: () => void): () => void
  /** The time, in milliseconds since 1970, and a wait: a bench has its own. */
  now?(): number
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>
}

/**
 * Tells a DHT of all keys in the order of its keyspace, region by region, each at its time of the interval. The servers of a region are found by few
 * look-ups, and each is told of all its keys at once, so that a key takes no look-up and no connection of its own. What it has told survives the process.
 */
export class Sweep {
  readonly #parts: SweepParts
  readonly #servers: { readonly place: Uint8Array; readonly self: string }
  readonly #began: number
  #state: State
  #now = none()
  #last: Counts | undefined
  #sum = none()
  #isBusy = false
  #isOnline = false
  #isAlone = false
  #onlineSince: Date | undefined
  #lookups = 0
  /** A whole cycle that somebody waits for. */
  #forced: PromiseWithResolvers<void> | undefined
  #cycle = 0
  #wake = () => {}

  constructor(parts: SweepParts) {
    this.#parts = parts
    this.#servers = { place: placeOf(parsePeerId(parts.self)), self: parts.self }
    this.#began = this.#time()
    this.#state = this.#fresh(0)
  }

  get stats(): SweepStats {
    const { plan } = this.#parts
    const { keys, position, began, span, ranAt } = this.#state
    const cycle = this.#last ?? this.#now
    const isOnline = this.#parts.dht.size > 0
    return {
      isOnline,
      onlineSince: isOnline ? this.#onlineSince : undefined,
      keys,
      regions: cycle.regions,
      prefixLength: cycle.regions === 0 ? -1 : cycle.prefixBits / cycle.regions,
      next:
        cycle.regions === 0 || plan.interval === 0
          ? undefined
          : {
              at: new Date(this.#due(position)),
              prefix: bitsOf(position % END, PLACE_BITS).slice(0, Math.ceil(cycle.prefixBits / cycle.regions))
            },
      regionsDone: this.#now.regions,
      isBusy: this.#isBusy,
      uptime: this.#time() - this.#began,
      interval: plan.interval,
      cycleBegan: new Date(began),
      offset: Math.max(0, Math.min(span, this.#time() - began)),
      total: this.#sum,
      cycle,
      lookups: this.#lookups,
      lastRun: ranAt > 0 ? new Date(ranAt) : undefined,
      isWhole: this.#last !== undefined && this.#last.failedKeys === 0
    }
  }

  /** Goes through the keyspace, for as long as the node runs. */
  async run(signal: AbortSignal): Promise<void> {
    const { plan, settings, log, onPeer } = this.#parts
    const end = onPeer(() => this.#met())
    try {
      await this.#load()
      await this.#pause(settings.firstReprovide, signal)
      while (!signal.aborted) {
        try {
          const late = this.#time() - this.#state.began - this.#state.span
          if (plan.interval > 0 && this.#forced === undefined && late > plan.interval) this.#restart()
          if (this.#forced === undefined && (plan.interval === 0 || this.#time() < this.#state.began))
            await this.#pause(plan.interval === 0 ? MAX_DELAY : this.#state.began - this.#time(), signal)
          else await this.#wholeCycle(signal)
        } catch (error) {
          if (signal.aborted) return
          log.error({ err: error }, `providing everything again failed: ${messageOf(error)}`)
          this.#forced?.reject(error)
          this.#forced = undefined
          await this.#pause(ALONE, signal)
        }
      }
    } finally {
      end()
      this.#forced?.reject(provideErrors.E_REPROVIDE_STOPPED())
    }
  }

  /** A cycle now, without waits. Resolves at its end. */
  async now(): Promise<void> {
    if (this.#forced === undefined) {
      this.#forced = Promise.withResolvers()
      this.#restart()
      this.#wake()
    }
    await this.#forced.promise
  }

  /** Has new keys told with the others from then on. */
  async add(cids: readonly CID[]): Promise<void> {
    if (this.#parts.plan.interval === 0) return
    await this.#parts.keys.add(
      cids.map(({ multihash }) => multihash.bytes),
      this.#state.listing
    )
    this.#state.keys += cids.length
  }

  #time(): number {
    return this.#parts.now?.() ?? Date.now()
  }

  #fresh(listing: number): State {
    return {
      strategy: this.#parts.plan.strategyText,
      listing,
      isListed: false,
      keys: 0,
      ranAt: 0,
      began: this.#time(),
      span: 0,
      position: 0
    }
  }

  #restart(): void {
    this.#state = { ...this.#fresh(this.#state.listing), keys: this.#state.keys, ranAt: this.#state.ranAt }
    this.#now = none()
    this.#cycle++
  }

  /** When a place is due, in milliseconds since 1970. */
  #due(at: number): number {
    return this.#state.began + (this.#state.span * at) / END
  }

  async #load(): Promise<void> {
    const { datastore, plan } = this.#parts
    let found: State
    try {
      found = JSON.parse(Buffer.from(await datastore.get(STATE)).toString()) as State
    } catch {
      return
    }
    const { listing, keys, ranAt, began, span, position } = found
    if (![listing, keys, ranAt, began, span, position].every(value => Number.isFinite(value) && value >= 0)) return
    // a lower number would take what is listed for left out
    Object.assign(this.#state, { listing, keys, ranAt })
    const isSound = began - this.#time() <= plan.interval
    // a cycle that somebody asked for meanwhile begins anew
    if (plan.isResumed && found.strategy === plan.strategyText && isSound && this.#forced === undefined) this.#state = found
  }

  async #save(): Promise<void> {
    await this.#parts.datastore.put(STATE, Buffer.from(JSON.stringify(this.#state)))
  }

  async #wholeCycle(signal: AbortSignal): Promise<void> {
    if (!this.#state.isListed) await this.#list(signal)
    for (;;) {
      signal.throwIfAborted()
      // it was begun anew meanwhile
      if (!this.#state.isListed) return
      const first = this.#state.position < END ? await this.#parts.keys.first(this.#state.position) : undefined
      if (first === undefined) break
      const due = this.#due(first.at) - this.#time()
      if (due > 0 && this.#forced === undefined) await this.#pause(due, signal)
      else if (this.#parts.dht.size > 0) await this.#attempt(first, signal)
      else if (this.#forced === undefined) await this.#company(signal)
      // who waits for the end is not to wait for peers: they are told once there are some
      else return this.#endForced()
    }
    await this.#ended()
  }

  /** Goes on with the next cycle. One behind a cycle that told all at once takes half the interval, so that nothing is told twice in a row. */
  async #ended(): Promise<void> {
    const { plan } = this.#parts
    const { began, span } = this.#state
    const half = plan.interval / 2
    this.#last = this.#now
    this.#now = none()
    Object.assign(this.#state, {
      began: began + Math.max(span, half),
      span: span === 0 ? half : plan.interval,
      position: 0,
      isListed: false
    } satisfies Partial<State>)
    await this.#save()
    this.#endForced()
  }

  #endForced(): void {
    this.#forced?.resolve()
    this.#forced = undefined
  }

  /** Finds out what there is to tell. */
  async #list(signal: AbortSignal): Promise<void> {
    const { keys, toProvide, log } = this.#parts
    const cycle = this.#cycle
    const listing = ++this.#state.listing
    this.#state.ranAt = this.#time()
    // a listing that is broken off is not to lend its number to the next one
    await this.#save()
    let began = performance.now()
    const rest = async () => {
      const worked = performance.now() - began
      if (this.#forced === undefined) await this.#wait(worked / WORKING - worked, signal)
      began = performance.now()
    }
    const multihashes = async function* () {
      for await (const { multihash } of toProvide(signal)) yield multihash.bytes
    }
    try {
      this.#state.keys = await keys.replace(multihashes(), listing, { signal, rest })
    } catch (error) {
      signal.throwIfAborted()
      log.error(
        { err: error },
        `what there is to provide could not be listed, so that what was before is provided again: ${messageOf(error)}`
      )
    }
    if (cycle !== this.#cycle) return
    this.#state.isListed = true
    await this.#save()
  }

  /** Tells of the region of a key, some times where that fails. */
  async #attempt(first: ProvidedKey, signal: AbortSignal): Promise<void> {
    const { log } = this.#parts
    const cycle = this.#cycle
    this.#met()
    this.#isBusy = true
    const began = performance.now()
    try {
      for (let attempt = 1; cycle === this.#cycle; attempt++) {
        try {
          await this.#region(first, signal)
          return
        } catch (error) {
          signal.throwIfAborted()
          if (hasCode(error, networkErrors.E_NO_PEERS_TO_ASK().code)) return
          log.debug(`the region at ${bitsOf(first.at, PLACE_BITS)} was not told of: ${messageOf(error)}`)
          if (attempt < ATTEMPTS) await this.#wait(RETRY, signal)
          else return await this.#giveUp(cycle)
        }
      }
    } finally {
      this.#isBusy = false
      const time = performance.now() - began
      this.#now.time += time
      this.#sum.time += time
    }
  }

  /** Leaves as many keys as are told at once to the next cycle: the next ones may lie elsewhere. */
  async #giveUp(cycle: number): Promise<void> {
    const { keys, next } = await this.#some(this.#state.position, END)
    this.#count({ failedKeys: keys.length })
    await this.#goOn(next, cycle)
  }

  async #goOn(position: number, cycle: number): Promise<void> {
    if (cycle !== this.#cycle) return
    this.#state.position = position
    await this.#save()
  }

  /** Tells of all keys from one on, as far as the same look-ups find the servers that are closest to them. */
  async #region(first: ProvidedKey, signal: AbortSignal): Promise<void> {
    const cycle = this.#cycle
    const servers = new Servers(this.#servers)
    const target = placeOf(first.multihash)
    const depth = await this.#look(first.multihash, target, servers, signal)
    const bits = Math.min(depth, PLACE_BITS)
    const size = 2 ** (PLACE_BITS - bits)
    const end = (Math.floor(first.at / size) + 1) * size
    await this.#cover(first, end, target, depth, servers, signal)
    let told = 0
    for (let at = first.at; at < end; ) {
      const { keys, next } = await this.#some(at, end)
      if (keys.length === 0) break
      const taken = await this.#tell(keys, servers, signal)
      told += taken
      // where none was told, it is tried again
      if (told === 0) throw new Error(`none of ${servers.size} servers took a record`)
      this.#count({ keys: taken, failedKeys: keys.length - taken })
      if (cycle !== this.#cycle) return
      at = next
      await this.#goOn(at, cycle)
    }
    this.#count({ regions: 1, prefixBits: bits, servers: servers.size, failedServers: servers.failed })
    await this.#goOn(end, cycle)
  }

  /** As many keys as are told at once, and the place behind them. */
  async #some(from: number, to: number): Promise<{ readonly keys: readonly ProvidedKey[]; readonly next: number }> {
    const keys: ProvidedKey[] = []
    for await (const key of this.#parts.keys.within(from, to)) {
      // those of one place go together
      if (keys.length >= this.#parts.plan.keysAtOnce && key.at !== keys.at(-1)!.at) return { keys, next: keys.at(-1)!.at + 1 }
      keys.push(key)
    }
    return { keys, next: to }
  }

  /**
   * Asks for the servers closest to a key. All servers are known then whose places have more bits in common with it than those of the last one found.
   *
   * @returns how many bits that one has in common
   * @throws E_NO_PEERS_TO_ASK, and where so few answer that most were missed
   */
  async #look(key: Uint8Array, place: Uint8Array, servers: Servers, signal: AbortSignal): Promise<number> {
    const { dht, settings } = this.#parts
    const found: string[] = []
    this.#lookups++
    for await (const event of withinTime(settings.provideTimeout, signal, inner => dht.closest(key, { signal: inner })))
      if (event.type === 'peer') found.push(event.found.id)
    let furthest = place.length * 8
    for (const peer of found) {
      const at = placeOf(parsePeerId(peer))
      servers.add(peer, at)
      furthest = Math.min(furthest, commonBits(place, at))
    }
    if (found.length >= HOLDERS) return furthest
    if (found.length === 0 || dht.size >= 2 * HOLDERS) throw new Error(`${found.length} servers answered`)
    // all that there are
    return 0
  }

  /** Finds the servers of a region that the first look-up left out: those of the other half, where it has so many again of its parts, and so on. */
  async #cover(first: ProvidedKey, end: number, target: Uint8Array, depth: number, servers: Servers, signal: AbortSignal): Promise<void> {
    const { keys } = this.#parts
    if (servers.size < HOLDERS) return
    let left = MAX_LOOKUPS - 1
    if (depth >= MAX_SEARCHED_BITS) {
      // a crowd about one place: its keys are looked for themselves
      for await (const { multihash } of keys.within(first.at, end)) {
        if (left-- <= 0) return
        await this.#look(multihash, placeOf(multihash), servers, signal)
      }
      return
    }
    let count = 0
    for await (const _ of keys.within(first.at, end)) if (++count > 1) break
    if (count <= 1) return
    const coverPrefix = async (prefix: number, bits: number): Promise<void> => {
      if (bits > MAX_SEARCHED_BITS || left-- <= 0) return
      const key = await keyAt(prefix, bits, signal)
      const place = placeOf(key)
      const known = await this.#look(key, place, servers, signal)
      for (let level = bits; level <= known; level++) await coverPrefix((leading(place, level + 1) ^ 1) >>> 0, level + 1)
    }
    await coverPrefix((leading(target, depth + 1) ^ 1) >>> 0, depth + 1)
  }

  /** Tells the closest servers of each key, each of all its keys; where one fails, the next closest. @returns how many keys were taken by a server */
  async #tell(keys: readonly ProvidedKey[], servers: Servers, signal: AbortSignal): Promise<number> {
    const { dht, plan, settings, log } = this.#parts
    const taken = new Uint8Array(keys.length)
    let lists = await servers.closest(keys, HOLDERS, signal)
    for (let round = 0; lists.size > 0 && round < ATTEMPTS; round++) {
      const failed: string[] = []
      const workers = new Workers<readonly [string, readonly number[]]>(plan.serversAtOnce, async ([server, list]) => {
        try {
          let isTold = false
          const telling = async function* (inner: AbortSignal): AsyncGenerator<never> {
            await dht.tell(
              server,
              list.map(i => keys[i]!.multihash),
              { signal: inner }
            )
            isTold = true
          }
          for await (const _ of withinTime(settings.provideTimeout, signal, telling));
          if (!isTold) throw new Error('it takes too long')
          if (server === this.#servers.self) return
          for (const i of list) taken[i]!++
          this.#count({ records: list.length })
        } catch (error) {
          signal.throwIfAborted()
          log.debug(`${server} was not told of ${list.length} keys: ${messageOf(error)}`)
          failed.push(server)
        }
      })
      for (const one of lists) await workers.add(one)
      await workers.idle()
      lists = await servers.instead(failed, keys, lists, HOLDERS, signal)
    }
    return taken.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
  }

  #count(more: Partial<Counts>): void {
    for (const [name, value] of Object.entries(more) as Array<[keyof Counts, number]>) {
      this.#now[name] += value
      this.#sum[name] += value
    }
  }

  #met(): void {
    const isOnline = this.#parts.dht.size > 0
    if (isOnline && !this.#isOnline) this.#onlineSince = new Date()
    this.#isOnline = isOnline
    if (isOnline && this.#isAlone) this.#wake()
  }

  /** Waits until there is a peer. */
  async #company(signal: AbortSignal): Promise<void> {
    this.#isOnline = false
    this.#isAlone = true
    if (this.#parts.dht.size === 0) await this.#pause(ALONE, signal)
    this.#isAlone = false
  }

  /** Ends early where the node stops, or a cycle is asked for. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#forced !== undefined || signal.aborted) return
    const sooner = new AbortController()
    const leave = () => sooner.abort()
    signal.addEventListener('abort', leave, { once: true })
    this.#wake = leave
    await this.#wait(Math.min(milliseconds, MAX_DELAY), sooner.signal).catch(() => {})
    signal.removeEventListener('abort', leave)
  }

  async #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#parts.wait !== undefined) return this.#parts.wait(milliseconds, signal)
    await delay(milliseconds, undefined, { signal, ref: false })
  }
}

/** A key whose place begins with these bits: the multihash of a SHA-256, as a server of a DHT takes for one of a peer. */
async function keyAt(prefix: number, bits: number, signal: AbortSignal): Promise<Uint8Array> {
  const key = Buffer.concat([Buffer.from([0x12, 32]), randomBytes(32)])
  const turns = new Turns(signal)
  for (let number = 0; ; number++) {
    key.writeUInt32LE(number, 2)
    if (leading(placeOf(key), bits) === prefix) return key
    if (turns.due) await turns.take()
  }
}
