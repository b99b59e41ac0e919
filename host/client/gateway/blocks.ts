import type { CID } from 'multiformats/cid'
import { joined } from '../../../core/blocks/bytes.ts'
import { IDENTITY, RAW } from '../../../core/cid/codes.ts'
import { sleep } from '../../../core/timing.ts'
import type { Fetch } from '../transport.ts'
import { type Check, check as checkDigest } from './digest.ts'
import { type CarRequest, Download, type Surroundings } from './download.ts'
import { GatewayError, Misbehaviour, type Refusal, Unavailable } from './errors.ts'
import { keyOf } from './links.ts'
import { type Gateway, Pool } from './pool.ts'
import { open, platformTimer, type Timer } from './request.ts'
import { Window } from './window.ts'

/** Which gateways are asked, and how. */
export interface GatewayOptions {
  /** Their addresses, in the order in which they are asked: `https://trustless-gateway.example`. */
  readonly gateways: readonly string[]
  /** Told of each gateway that is not asked any more, and why: it sent what it should not have, or nothing. */
  onDropped?(refusal: Refusal): void
  /** How long a gateway may send nothing, in milliseconds. Default 30,000. */
  readonly patience?: number
  /** How much is kept of what comes before it is asked for, in bytes. Default 8 MiB. */
  readonly ahead?: number
  /** Largest block that is taken, in bytes. Default 4 MiB. */
  readonly maxBlock?: number
  /** Carries the requests in place of the platform's own. */
  readonly fetch?: Fetch
  /** Holds blocks against their CIDs in place of the own way. */
  readonly check?: Check
  /** Says when patience is over in place of the platform's clock. */
  readonly timer?: Timer
}

const MiB = 1024 * 1024
/** Blocks that are asked for one by one at the same time. */
const AT_ONCE = 6
/** How often all gateways are asked for a block that some could not give for now. */
const ROUNDS = 3
/** The pause before they are asked again, in milliseconds; each time twice as long. */
const PAUSE = 250

/** Largest record of a key, in bytes (IPNS specification). */
const LARGEST_RECORD = 10_240

/** A graph that is asked for as a whole. */
interface WholeAsked {
  readonly path: string
  readonly accept: string
  /** Most bytes that it may have. */
  readonly most: number
  /** The description for messages. */
  readonly of: string
}

/**
 * Blocks of trustless gateways, each held against its CID. What is planned is fetched as one CAR; what a CAR does not bring, or no longer
 * brings because it broke off, as a CAR of what is left below a block, and leaves one by one. Memory: what is kept ahead, and the blocks
 * that are being asked for.
 */
export class GatewayBlocks {
  readonly #around: Surroundings
  readonly #pool: Pool
  readonly #window: Window
  readonly #controller = new AbortController()
  readonly #plans = new Map<string, CarRequest[]>()
  /** The parameters of CARs of blocks that no plan names. */
  #scope: CarRequest['scope'] | undefined
  #download: Download | undefined
  /** The root of the last download: where that failed, it is not tried again at once. */
  #lastRoot: string | undefined
  #running = 0
  readonly #queue: Array<() => void> = []

  /**
   * @param pool - where it is shared with others
   * @throws E_GATEWAY_ADDRESS
   */
  constructor(options: GatewayOptions, pool: Pool = new Pool(options.gateways, options.onDropped ?? (() => {}))) {
    const { patience = 30_000, ahead = 8 * MiB, maxBlock = 4 * MiB, check = checkDigest } = options
    const { fetch = (url, init) => globalThis.fetch(url, init), timer = platformTimer } = options
    this.#pool = pool
    this.#window = new Window(ahead)
    this.#around = { pool, window: this.#window, check, fetch, patience, maxBlock, timer }
  }

  /**
   * Says what will be asked for, so that it is fetched as one.
   *
   * @param below - whether what it breaks off at is fetched as CARs as well, in place of block by block
   */
  plan(request: CarRequest, below = true): void {
    const key = keyOf(request.root)
    this.#plans.set(key, [...(this.#plans.get(key) ?? []), request])
    if (below) this.#scope = request.scope
  }

  /** Says that what no plan names is fetched as CARs too, where it has links. */
  follow(scope: CarRequest['scope']): void {
    this.#scope = scope
  }

  /**
   * The signed records of a key as the gateways have them: not checked. One that has none, or cannot be reached, is passed over.
   *
   * @param name - `k51…`
   */
  async *records(name: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const gateway of this.#pool.alive()) {
      const path = `/ipns/${name}?format=ipns-record`
      try {
        yield await this.#whole(gateway, { path, accept: 'application/vnd.ipfs.ipns-record', most: LARGEST_RECORD, of: name }, signal)
      } catch (error) {
        signal?.throwIfAborted()
        this.#failed(gateway, name, error)
      }
    }
  }

  /**
   * A block.
   *
   * @throws E_GATEWAY_BLOCK, E_GATEWAY_CLOSED, the signal's reason
   */
  async get(cid: CID, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Uint8Array> {
    if (cid.multihash.code === IDENTITY) return cid.multihash.digest
    const key = keyOf(cid)
    for (let waits = 0; waits < ROUNDS; waits++) {
      signal?.throwIfAborted()
      this.#throwIfClosed()
      const held = this.#window.take(key)
      if (held !== undefined) {
        this.#download?.wake()
        return held
      }
      this.#begin(cid, key)
      if (this.#download?.expects(key) !== true) break
      const bytes = await this.#download.wait(key, signal)
      if (bytes !== undefined) return bytes
    }
    return this.#alone(cid, key, signal)
  }

  /** Ends what is under way. */
  close(): void {
    this.#controller.abort(new GatewayError('E_GATEWAY_CLOSED', 'the gateways were closed'))
    this.#download?.close()
    this.#window.clear()
  }

  /** Begins a download where the block is the root of one. */
  #begin(cid: CID, key: string): void {
    const plans = this.#plans.get(key)
    const planned = plans?.shift()
    if (plans?.length === 0) this.#plans.delete(key)
    const idle = this.#download === undefined || this.#download.hasEnded
    const withScope = idle && this.#lastRoot !== key && this.#scope !== undefined && cid.code !== RAW
    const request = planned ?? (withScope ? { root: cid, path: cid.toString(), scope: this.#scope! } : undefined)
    if (request === undefined) return
    this.#download?.close()
    this.#lastRoot = key
    this.#download = new Download(this.#around, request)
  }

  /** A block by itself, from the first gateway that gives it. */
  async #alone(cid: CID, key: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    await this.#turn()
    try {
      const bytes = await this.#fromAny(cid, key, signal)
      this.#window.used(key, bytes)
      return bytes
    } finally {
      this.#running--
      this.#queue.shift()?.()
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= AT_ONCE) await new Promise<void>(resolve => this.#queue.push(resolve))
    this.#running++
  }

  async #fromAny(cid: CID, key: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    let refusals: Refusal[] = []
    for (let round = 1; ; round++) {
      refusals = []
      let pause: number | undefined
      for (const gateway of this.#pool.alive()) {
        const found = await this.#from(gateway, cid, signal).catch(error => this.#failed(gateway, key, error))
        if (found instanceof Uint8Array) return found
        refusals.push({ gateway: gateway.address.name, reason: found.message })
        if (found.passing) pause = Math.max(pause ?? 0, found.wait, PAUSE * 2 ** (round - 1))
      }
      if (pause === undefined || round === ROUNDS || this.#pool.alive().length === 0) break
      await this.#sleep(pause, signal)
    }
    const told = new Map([...this.#pool.dropped(), ...refusals].map(refusal => [refusal.gateway, refusal]))
    const all = [...told.values()]
    const reasons = all.map(({ gateway, reason }) => `${gateway} ${reason}`).join('; ')
    throw new GatewayError('E_GATEWAY_BLOCK', `no gateway gives the block ${cid}: ${reasons}`, { refusals: all })
  }

  #failed(gateway: Gateway, key: string, error: unknown): Unavailable {
    this.#throwIfClosed()
    return this.#pool.failed(gateway, key, error)
  }

  async #from(gateway: Gateway, cid: CID, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { maxBlock, check } = this.#around
    const asked = { path: `/ipfs/${cid}?format=raw`, accept: 'application/vnd.ipld.raw', most: maxBlock, of: `the block ${cid}` }
    const bytes = await this.#whole(gateway, asked, signal)
    const whole = await check(cid, bytes)
    if (whole === undefined) throw new GatewayError('E_GATEWAY_BLOCK', `the hash function of ${cid} is not known here`)
    if (!whole) throw new Misbehaviour(`sent other bytes for the block ${cid}`)
    this.#pool.worked(gateway)
    return bytes
  }

  /** A whole answer, in as much time as it may take at most. */
  async #whole(gateway: Gateway, { path, accept, most, of }: WholeAsked, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { patience, fetch, timer } = this.#around
    const ended = signal === undefined ? this.#controller.signal : AbortSignal.any([signal, this.#controller.signal])
    // what comes drop by drop is as good as nothing
    const late = new AbortController()
    const stop = timer(() => late.abort(new Misbehaviour(`sent no whole block for ${(2 * patience) / 1000} s`)), 2 * patience)
    const both = AbortSignal.any([ended, late.signal])
    try {
      const opened = await open(gateway.address, { path, accept, patience, signal: both, fetch, timer })
      try {
        const parts: Uint8Array[] = []
        let size = 0
        for (let step = await opened.chunks.next(); !step.done; step = await opened.chunks.next()) {
          size += step.value.length
          if (size > most) throw new Misbehaviour(`sent more than ${most} bytes for ${of}`)
          parts.push(step.value)
        }
        return joined(parts)
      } finally {
        opened.close()
      }
    } finally {
      stop()
    }
  }

  #sleep(duration: number, signal: AbortSignal | undefined): Promise<void> {
    const ended = signal === undefined ? this.#controller.signal : AbortSignal.any([signal, this.#controller.signal])
    return sleep(duration, ended)
  }

  #throwIfClosed(): void {
    this.#controller.signal.throwIfAborted()
  }
}
