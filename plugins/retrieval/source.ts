import { cidToString } from '../../core/cid/index.ts'
import { sleep, unlessAborted } from '../../core/concurrency/index.ts'
import { byteString } from '../../core/go/utf8.ts'
import { type BlockSource, blockErrors, type CID, type FetchOptions, messageOf } from '../../core/index.ts'
import { retrievalErrors } from './errors.ts'
import type { Gateway } from './gateway.ts'
import type { RetrievalSettings } from './settings.ts'

/** Times that a gateway is asked for one block before others alone are. */
const MAX_TRIES = 3

/** The reason of a signal whose block is here, or is not waited for any more. */
const OVER = new Error('nobody waits for the block any more')

/** A block that is looked for, by how many. */
interface Search {
  readonly stop: AbortController
  readonly bytes: Promise<Uint8Array>
  waiting: number
}

/** What came of one gateway. */
type Found = { readonly bytes: Uint8Array } | { readonly why: string }

interface SourceParts {
  readonly gateways: readonly Gateway[]
  readonly settings: RetrievalSettings
  /** Whether peers are asked, too: then there is hope for as long as somebody waits. */
  readonly hasPeers: boolean
}

/** Gateways as a source of blocks: one is asked at a time, the next when it has not got the block, fails or takes long. */
export class GatewaySource implements BlockSource {
  readonly verifies = true
  readonly #parts: SourceParts
  readonly #searches = new Map<string, Search>()
  /** Sessions in which a gateway gave a block. */
  readonly #gave = new WeakSet<object>()

  constructor(parts: SourceParts) {
    this.#parts = parts
  }

  /** Everybody who waits is told. */
  stop(): void {
    for (const { stop } of this.#searches.values()) stop.abort(retrievalErrors.E_RETRIEVAL_STOPPED())
  }

  /** Those who want the same block wait for the same requests. @throws E_BLOCK_UNAVAILABLE where there are no peers, the reason of `signal` */
  async get(cid: CID, { signal, session = signal }: FetchOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted()
    const key = byteString(cid.multihash.bytes)
    const search = this.#searches.get(key) ?? this.#begin(key, cid, session)
    search.waiting++
    try {
      const bytes = await unlessAborted(search.bytes, signal)
      if (session !== undefined) this.#gave.add(session)
      return bytes
    } finally {
      if (--search.waiting === 0) {
        this.#end(key, search)
        search.stop.abort(OVER)
      }
    }
  }

  #begin(key: string, cid: CID, session: object | undefined): Search {
    const stop = new AbortController()
    const isUrgent = session !== undefined && this.#gave.has(session)
    const search: Search = { stop, waiting: 0, bytes: this.#find(cid, isUrgent, stop.signal).finally(() => this.#end(key, search)) }
    // all who waited may have left
    search.bytes.catch(() => {})
    this.#searches.set(key, search)
    return search
  }

  #end(key: string, search: Search): void {
    if (this.#searches.get(key) === search) this.#searches.delete(key)
  }

  async #find(cid: CID, isUrgent: boolean, signal: AbortSignal): Promise<Uint8Array> {
    const { hasPeers, settings } = this.#parts
    if (hasPeers && !isUrgent && settings.headStart > 0) await sleep(settings.headStart, signal)
    for (;;) {
      const found = await this.#ask(cid, signal)
      if ('bytes' in found) return found.bytes
      if (!hasPeers) throw blockErrors.E_BLOCK_UNAVAILABLE(cidToString(cid), found.why)
      await sleep(settings.askAgain, signal)
    }
  }

  /** Asks each gateway, those that are least busy first. */
  async #ask(cid: CID, signal: AbortSignal): Promise<Found> {
    const { gateways, settings } = this.#parts
    const left = gateways.filter(gateway => gateway.serves(cid)).sort((a, b) => a.rests - b.rests || a.load - b.load)
    if (left.length === 0) return { why: 'no gateway can be asked for such a CID' }
    const reasons: string[] = []
    const running = new Set<Promise<Found>>()
    const over = new AbortController()
    const within = AbortSignal.any([signal, over.signal])
    try {
      while (left.length > 0 || running.size > 0) {
        const gateway = left.shift()
        if (gateway !== undefined) {
          const asked = this.#askOne(gateway, cid, within).finally(() => running.delete(asked))
          running.add(asked)
        }
        const found = await firstOf(running, left.length > 0 ? settings.nextAfter : undefined)
        signal.throwIfAborted()
        if (found === undefined) continue
        if ('bytes' in found) return found
        reasons.push(found.why)
      }
      return { why: reasons.join('; ') }
    } finally {
      over.abort(OVER)
    }
  }

  async #askOne(gateway: Gateway, cid: CID, signal: AbortSignal): Promise<Found> {
    for (let tries = 1; ; tries++) {
      try {
        const bytes = await gateway.get(cid, signal)
        return bytes === undefined ? { why: `${gateway.name} has not got it` } : { bytes }
      } catch (error) {
        if (signal.aborted || tries === MAX_TRIES || gateway.rests > this.#parts.settings.patience) return { why: messageOf(error) }
      }
    }
  }
}

/** What is over first; undefined when the time is. */
async function firstOf<T>(running: Iterable<Promise<T>>, milliseconds: number | undefined): Promise<T | undefined> {
  if (milliseconds === undefined) return Promise.race(running)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, milliseconds, undefined)
  })
  try {
    return await Promise.race([...running, late])
  } finally {
    clearTimeout(timer)
  }
}
