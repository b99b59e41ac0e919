import { hash } from 'node:crypto'
import type { Datastore, Dht, RoutingEvent, RoutingOptions } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { commonBits, compareDistance, nearest, placeOf, reproviderPlan } from '../../../core/network/index.ts'
import { ProvideKeys } from '../../../plugins/provide/keys.ts'
import { provideSettings } from '../../../plugins/provide/settings.ts'
import { Sweep } from '../../../plugins/provide/sweep.ts'
import { type EngineEvent, walk } from '../../../plugins/routing/dht/walk.ts'

const K = 20

export const multihashOf = (text: string) => Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', text, 'buffer')])

/** The peer of a number, by its ID. */
export const peerOf = (number: number) => peerIdString(multihashOf(`peer ${number}`))

const SELF = peerOf(-1)

interface Member {
  readonly id: string
  readonly place: Uint8Array
}

/**
 * A DHT of so many servers in memory, each of which knows up to 20 of every distance as Kademlia has it. Look-ups are the node's own; servers answer at
 * once. What it is told is counted, and kept of the keys that `watches` says.
 */
export class SimulatedDht implements Pick<Dht, 'closest' | 'tell' | 'size'> {
  readonly #members: readonly Member[]
  readonly #numbers = new Map<string, number>()
  readonly #table: readonly string[]
  readonly #watches: (multihash: Uint8Array) => boolean
  /** Servers by the keys that were told to them. */
  readonly holders = new Map<string, Set<string>>()
  /** Servers that answer nothing. */
  readonly silent = new Set<string>()
  /** Called for each server that is told. */
  onTell: (server: string, keys: number) => void | Promise<void> = () => {}
  asked = 0
  lookups = 0
  told = 0
  records = 0
  /** Milliseconds that the servers took. */
  time = 0
  /** Peers in the node's table. */
  size: number

  constructor(count: number, watches: (multihash: Uint8Array) => boolean = () => true) {
    this.#watches = watches
    this.#members = Array.from({ length: count }, (_, i) => peerOf(i))
      .map(id => ({ id, place: placeOf(parsePeerId(id)) }))
      .sort((a, b) => Buffer.compare(a.place, b.place))
    for (const [i, { id }] of this.#members.entries()) this.#numbers.set(id, i)
    const every = Math.max(1, Math.floor(count / 200))
    this.#table = this.#members.filter((_, i) => i % every === 0).map(({ id }) => id)
    this.size = this.#table.length
  }

  async *closest(key: Uint8Array, { signal = new AbortController().signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    this.lookups++
    const answered: string[] = []
    const events = walk({
      key,
      seeds: nearest(key, this.#table, parsePeerId).slice(0, K),
      width: K,
      atATime: 10,
      self: SELF,
      signal,
      idBytes: parsePeerId,
      ask: peer => this.#ask(peer, key)
    })
    for await (const event of events) if (event.type === 'answer') answered.push(event.peer)
    for (const id of nearest(key, answered, parsePeerId).slice(0, K)) yield { type: 'peer', found: { id, addresses: [] } }
  }

  async tell(peer: string, multihashes: readonly Uint8Array[], { signal }: RoutingOptions = {}): Promise<void> {
    // the records that a node keeps itself
    if (peer === SELF) return
    await this.onTell(peer, multihashes.length)
    signal?.throwIfAborted()
    if (this.silent.has(peer)) throw new Error(`${peer} does not answer`)
    const began = performance.now()
    this.told++
    this.records += multihashes.length
    for (const multihash of multihashes) {
      if (!this.#watches(multihash)) continue
      const name = Buffer.from(multihash).toString('hex')
      const holders = this.holders.get(name)
      if (holders === undefined) this.holders.set(name, new Set([peer]))
      else holders.add(peer)
    }
    this.time += performance.now() - began
  }

  /** How many of the 20 servers closest to a key, of those that answer, have its record. */
  coverage(multihash: Uint8Array): number {
    const place = placeOf(multihash)
    const held = this.holders.get(Buffer.from(multihash).toString('hex')) ?? new Set()
    return this.#members
      .filter(({ id }) => !this.silent.has(id))
      .sort((a, b) => compareDistance(place, a.place, b.place))
      .slice(0, K)
      .filter(({ id }) => held.has(id)).length
  }

  async *#ask(peer: string, key: Uint8Array): AsyncGenerator<EngineEvent> {
    this.asked++
    if (this.silent.has(peer)) {
      yield { type: 'failure', peer, message: 'it does not answer' }
      return
    }
    const began = performance.now()
    const closer = this.#known(this.#numbers.get(peer)!, placeOf(key)).map(id => ({ id, addresses: [] }))
    this.time += performance.now() - began
    yield { type: 'answer', peer, closer, providers: [], record: undefined }
  }

  /** The 20 closest to a place that a server knows: those of its bucket for it, and of nearer ones. */
  #known(server: number, target: Uint8Array): string[] {
    const own = this.#members[server]!.place
    const common = commonBits(own, target)
    const found: number[] = []
    let [from, to] = this.#sharing(own, Math.min(common, 255))
    // all of its side are at least as near as its bucket: few where it is close
    if (to - from > 8 * K) [from, to] = this.#sharing(target, common + 1)
    if (to - from <= 8 * K) for (let i = from; i < to; i++) found.push(i)
    else for (let i = 0; i < K; i++) found.push(from + ((server * 7919 + i * 104_729) % (to - from)))
    if (found.length < K) for (let i = Math.max(0, server - K); i < Math.min(this.#members.length, server + K); i++) found.push(i)
    return [...new Set(found)]
      .filter(i => i !== server)
      .map(i => this.#members[i]!)
      .sort((a, b) => compareDistance(target, a.place, b.place))
      .slice(0, K)
      .map(({ id }) => id)
  }

  /** The members whose places begin as this one does. */
  #sharing(place: Uint8Array, bits: number): [from: number, to: number] {
    const bound = (fill: 0 | 1) => {
      const bytes = Buffer.from(place)
      for (let bit = bits; bit < 256; bit++) {
        const mask = 0x80 >> (bit % 8)
        if (fill === 0) bytes[bit >> 3]! &= ~mask
        else bytes[bit >> 3]! |= mask
      }
      return bytes
    }
    const search = (wanted: Buffer, after: boolean) => {
      let [low, high] = [0, this.#members.length]
      while (low < high) {
        const middle = (low + high) >> 1
        const order = Buffer.compare(this.#members[middle]!.place, wanted)
        if (order < 0 || (after && order === 0)) low = middle + 1
        else high = middle
      }
      return low
    }
    return [search(bound(0), false), search(bound(1), true)]
  }
}

interface Simulation {
  readonly dht: SimulatedDht
  readonly datastore: Datastore
  readonly multihashes: (signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** Keys of the node configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Called for each wait, with its milliseconds. */
  readonly onWait?: (milliseconds: number) => void
}

/** A sweep through such a DHT, on a clock that goes as fast as it is waited for. */
export function simulated({ dht, datastore, multihashes, config = {}, onWait }: Simulation, clock = { now: 1_700_000_000_000 }) {
  const waits: number[] = []
  const sweep = new Sweep({
    dht,
    self: SELF,
    datastore,
    keys: new ProvideKeys(datastore),
    plan: reproviderPlan(key => config[key] as never),
    settings: provideSettings.parse({}),
    log: { debug() {}, error() {}, warn() {} } as never,
    async *toProvide(signal) {
      for await (const bytes of multihashes(signal)) yield { multihash: { bytes } } as never
    },
    onPeer: () => () => {},
    now: () => clock.now,
    async wait(milliseconds, signal) {
      waits.push(milliseconds)
      onWait?.(milliseconds)
      await new Promise(resolve => setImmediate(resolve))
      signal.throwIfAborted()
      clock.now += milliseconds
    }
  })
  return { sweep, waits, clock }
}
