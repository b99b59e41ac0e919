import type { CID } from 'multiformats/cid'
import type { Fetch } from '../transport.ts'
import { ArchiveReader, type Section } from './archive.ts'
import type { Check } from './digest.ts'
import { Misbehaviour, Unavailable } from './errors.ts'
import { Expected } from './expected.ts'
import { keyOf, linksOf } from './links.ts'
import type { Gateway, Pool } from './pool.ts'
import { open, type Timer } from './request.ts'
import type { Window } from './window.ts'

/** Which CAR to ask for. */
export interface CarRequest {
  /** The block that it starts at. */
  readonly root: CID
  /** The path behind `/ipfs/`: a CID, with the names of a path after it, percent-encoded. */
  readonly path: string
  readonly scope: 'all' | 'entity'
  /** `FROM:TO` of a file, the last byte included. */
  readonly bytes?: string | undefined
}

/** The state that all downloads have in common. */
export interface Surroundings {
  readonly pool: Pool
  readonly window: Window
  readonly check: Check
  readonly fetch: Fetch
  readonly patience: number
  readonly maxBlock: number
  readonly timer: Timer
}

/** Most bytes that go unread because they came too early or had come before; what is left is then fetched another way. */
const MOST_WASTED = 4 * 1024 * 1024
const CAR = 'application/vnd.ipld.car'

/**
 * A CAR that is read as its blocks are asked for, and ahead of that as far as there is room. Blocks that are not in their place, or are not
 * what their CIDs name, end it and the gateway's part in this.
 */
export class Download {
  readonly #with: Surroundings
  readonly #request: CarRequest
  readonly #controller = new AbortController()
  readonly #waiting = new Map<string, Array<(bytes: Uint8Array | undefined) => void>>()
  #expected: Expected
  #ended = false
  #wake: (() => void) | undefined
  /** Bytes that had to go unread since somebody last got what was asked for. */
  #wasted = 0

  constructor(surroundings: Surroundings, request: CarRequest) {
    this.#with = surroundings
    this.#request = request
    this.#expected = new Expected(keyOf(request.root))
    // what it throws is no gateway's doing, and comes with the close
    void this.#run().catch(() => this.close())
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /** Whether a block may still come. */
  expects(key: string): boolean {
    return !this.#ended && this.#expected.has(key)
  }

  /** The block when it comes; undefined when it does not. */
  wait(key: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const left = this.#waiting.get(key)?.filter(one => one !== told) ?? []
        if (left.length === 0) this.#waiting.delete(key)
        else this.#waiting.set(key, left)
        reject(signal!.reason)
      }
      const told = (bytes: Uint8Array | undefined) => {
        signal?.removeEventListener('abort', leave)
        resolve(bytes)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), told])
      this.wake()
    })
  }

  /** Goes on reading, where there is room now or somebody waits. */
  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  close(): void {
    this.#controller.abort(new Error('closed'))
    this.#end()
  }

  async #run(): Promise<void> {
    const { pool } = this.#with
    for (const gateway of pool.alive()) {
      if (gateway.withoutCars || this.#ended) continue
      const before = this.#expected
      try {
        await this.#from(gateway)
        break
      } catch (error) {
        if (this.#ended) return
        pool.failed(gateway, keyOf(this.#request.root), error)
        // what has come is not asked for twice: the rest is another download's
        if (before.hasMet(keyOf(this.#request.root))) break
        this.#expected = new Expected(keyOf(this.#request.root))
      }
    }
    this.#end()
  }

  async #from(gateway: Gateway): Promise<void> {
    const { patience, fetch, maxBlock, timer } = this.#with
    const { path, scope, bytes } = this.#request
    const query = `format=car&dag-scope=${scope}${bytes === undefined ? '' : `&entity-bytes=${bytes}`}`
    // a block that comes drop by drop is as good as none
    const late = new AbortController()
    const opened = await open(gateway.address, {
      path: `/ipfs/${path}?${query}`,
      accept: `${CAR}; version=1; order=dfs; dups=n`,
      patience,
      signal: AbortSignal.any([this.#controller.signal, late.signal]),
      fetch,
      timer
    }).catch(error => {
      if (error instanceof Unavailable && /status (400|406|415|501)\b/.test(error.message)) gateway.withoutCars = true
      throw error
    })
    try {
      const type = opened.header('content-type')
      if (!type.startsWith(CAR) || /order=(?!dfs)/.test(type)) {
        gateway.withoutCars = true
        throw new Unavailable('gives no CARs depth first', { passing: false })
      }
      const archive = new ArchiveReader(opened.chunks, maxBlock)
      await this.#read(gateway, async () => {
        const reason = new Misbehaviour(`sent no whole block for ${(2 * patience) / 1000} s`)
        const stop = timer(() => late.abort(reason), 2 * patience)
        return this.#fresh(gateway, archive).finally(stop)
      })
    } finally {
      opened.close()
    }
  }

  /** The next block that has not come before. A gateway may send blocks wherever it meets them, but not for ever. */
  async #fresh(gateway: Gateway, archive: ArchiveReader): Promise<Section | undefined> {
    for (let repeated = 0; ; ) {
      const section = await archive.next()
      if (section === undefined || !this.#expected.hasMet(keyOf(section.cid))) return section
      repeated += section.cid.bytes.length + section.bytes.length
      if (repeated <= MOST_WASTED) continue
      gateway.withoutCars = true
      throw new Unavailable('repeats blocks in its CARs', { passing: false })
    }
  }

  async #read(gateway: Gateway, next: () => Promise<Section | undefined>): Promise<void> {
    const { window, pool } = this.#with
    for (;;) {
      while (window.isFull && this.#waiting.size === 0 && !this.#ended) await new Promise<void>(resolve => (this.#wake = resolve))
      if (this.#ended) return
      const section = await next()
      if (section === undefined) break
      const links = await this.#admit(section)
      pool.worked(gateway)
      this.#hand(keyOf(section.cid), section.bytes)
      if (links === undefined || !this.#expected.enter(links.map(keyOf)) || this.#wasted > MOST_WASTED) return
    }
    const { scope, path } = this.#request
    if (scope !== 'all') return
    // of what lies beside a path it had to bring nothing
    const due = path.includes('/') ? this.#waiting.keys() : this.#expected.unmet()
    for (const key of due) if (!this.#expected.hasMet(key)) gateway.leftOut.add(key)
  }

  /** @returns the links of a block; undefined where what follows it cannot be held against them */
  async #admit({ cid, bytes }: Section): Promise<readonly CID[] | undefined> {
    const whole = await this.#with.check(cid, bytes)
    if (whole === undefined) throw new Unavailable(`gives a block whose hash function is not known (${cid})`, { passing: false })
    if (!whole) throw new Misbehaviour(`sent other bytes for the block ${cid}`)
    if (!this.#expected.meet(keyOf(cid))) throw new Misbehaviour(`sent a block that nothing it was asked for links to (${cid})`)
    return linksOf(cid, bytes)
  }

  #hand(key: string, bytes: Uint8Array): void {
    const { window } = this.#with
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) {
      this.#wasted += window.add(key, bytes)
      return
    }
    this.#waiting.delete(key)
    this.#wasted = 0
    window.used(key, bytes)
    for (const told of waiting) told(bytes)
  }

  #end(): void {
    this.#ended = true
    this.wake()
    for (const told of [...this.#waiting.values()].flat()) told(undefined)
    this.#waiting.clear()
  }
}
