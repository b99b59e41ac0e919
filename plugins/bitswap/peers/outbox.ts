import type { Budget } from '../../../core/concurrency/index.ts'
import { type CID, type FastBlocks, networkErrors, type PeerStream } from '../../../core/index.ts'
import { bitswapErrors } from '../errors.ts'
import { answersTo } from '../server/answers.ts'
import type { PeerWants } from '../server/peer-wants.ts'
import type { BitswapSettings } from '../settings.ts'
import { encodeParts } from '../wire/encode.ts'
import { keyOf, type Outgoing, PROTOCOLS, type WantEntry } from '../wire/message.ts'

/** Bytes of blocks in the first message, and in each once the peer reads: what a peer that does not read can hold. */
const TARGET = { first: 128 * 1024, most: 1024 * 1024 }

/** Cancellations that wait for another message, and how long in milliseconds, until they are worth one of their own. */
const LAZY = { most: 256, time: 500 }

/** The next turn of the event loop. */
const turn = () => new Promise(resolve => setImmediate(resolve))

export interface OutboxParts {
  readonly peer: string
  readonly wants: PeerWants
  readonly store: FastBlocks
  readonly budget: Budget
  readonly settings: BitswapSettings
  open(protocols: readonly string[], signal: AbortSignal): Promise<PeerStream>
  /** Bytes that the connection with it still carries. */
  room(): number
  /** Blocks that the peer has. */
  sent(sizes: readonly number[]): void
  /** There is room again for wants of the peer. */
  answered(): void
  failed(error: unknown): void
}

/** The outbox of a peer: this node's wants of it, and answers to its own. One message after the other, over one stream. */
export class Outbox {
  readonly #parts: OutboxParts
  /** Ends what is being sent. A controller for each message would cost as much as to write it. */
  readonly #ending = new AbortController()
  readonly #asks = new Map<string, WantEntry>()
  #lazy = 0
  #target = TARGET.first
  #stream: PeerStream | undefined
  #idle: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** Whether it sends, apart from the promise, which settles a moment later: what is due by then must not be missed. */
  #isRunning = false
  #isDue = false
  #isStopped = false
  #priority = 2 ** 31 - 1

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  ask(cid: CID, kind: WantEntry['kind']): void {
    this.#priority = this.#priority > 1 ? this.#priority - 1 : 2 ** 31 - 1
    this.#asks.set(keyOf(cid), { cid, priority: this.#priority, cancel: false, kind, sendDontHave: true })
    this.wake()
  }

  /** @param isLazy - goes with the next message: the peer has answered */
  cancel(cid: CID, isLazy = false): void {
    this.#asks.set(keyOf(cid), { cid, priority: 0, cancel: true, kind: 'block', sendDontHave: false })
    if (!isLazy || ++this.#lazy >= LAZY.most) this.wake()
    else if (this.#lazy === 1) this.#endWhenIdle()
  }

  /** There is something to send, or may be. */
  wake(): void {
    if (this.#ending.signal.aborted) return
    this.#isDue = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#run()
  }

  /** Sends no more. Resolves when nothing of it goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#ending.abort(bitswapErrors.E_BITSWAP_STOPPED())
    clearTimeout(this.#idle)
    this.#stream?.abort()
    this.#stream = undefined
    await this.#running
  }

  async #run(): Promise<void> {
    clearTimeout(this.#idle)
    try {
      // what is asked for in one turn of the event loop goes in one message
      await turn()
      while (this.#isDue && !this.#ending.signal.aborted) {
        this.#isDue = false
        if (await this.#next()) this.#isDue = true
      }
      this.#isRunning = false
      this.#endWhenIdle()
    } catch (error) {
      this.#isRunning = false
      if (!this.#isStopped) this.#parts.failed(error)
    }
  }

  /** @returns whether there was something to send */
  async #next(): Promise<boolean> {
    const { wants, store, budget, settings, room, answered, sent } = this.#parts
    const limits = { target: this.#target, maxBlock: settings.maxBlock, room: room(), presences: this.#knowsPresences }
    const { presences, blocks } = await answersTo(wants, store, limits)
    answered()
    const size = blocks.reduce((sum, block) => sum + block.size, 0)
    const release = size > 0 ? await budget.take(size, this.#ending.signal) : undefined
    try {
      const loaded = await this.#load(blocks.map(({ cid }) => cid))
      const message = { wants: [...this.#asks.values()], presences, blocks: loaded }
      this.#asks.clear()
      this.#lazy = 0
      if (message.wants.length + presences.length + loaded.length === 0) return blocks.length > 0
      await this.#send(message, size)
      sent(loaded.map(({ bytes }) => bytes.length))
      // what the network writes at the end of this turn goes first: the peer waits for it
      await turn()
      if (size > 0) this.#target = Math.min(2 * this.#target, TARGET.most)
      return true
    } finally {
      release?.()
    }
  }

  async #load(cids: readonly CID[]): Promise<Array<{ cid: CID; bytes: Uint8Array }>> {
    const { store, wants } = this.#parts
    const multihashes = cids.map(({ multihash }) => multihash.bytes)
    const found = (await store.readAll?.(multihashes)) ?? multihashes.map(multihash => store.getBytes(multihash))
    const all = await Promise.all(found)
    return cids.flatMap((cid, i) => {
      const bytes = all[i]
      if (bytes !== undefined) return [{ cid, bytes }]
      // it was removed just now: to be looked for, and answered, anew
      wants.add({ cid, priority: 0, cancel: false, kind: 'block', sendDontHave: true })
      return []
    })
  }

  get #knowsPresences(): boolean {
    return this.#stream === undefined || this.#stream.protocol === PROTOCOLS[0]
  }

  /** Once more over another stream where one breaks: who answered the last message may have closed it. */
  async #send(message: Outgoing, size: number): Promise<void> {
    const { settings } = this.#parts
    const limit = settings.messageTimeout + (size * 1000) / settings.slowestReader
    const { signal } = this.#ending
    const timer = setTimeout(() => this.#ending.abort(bitswapErrors.E_BITSWAP_SLOW(limit)), limit)
    const hadStream = this.#stream !== undefined
    try {
      try {
        await this.#write(message, signal)
      } catch (error) {
        this.#drop()
        signal.throwIfAborted()
        if (!hadStream) throw error
        await this.#write(message, signal)
      }
    } catch (error) {
      this.#drop()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async #write(message: Outgoing, signal: AbortSignal): Promise<void> {
    this.#stream ??= await this.#parts.open(PROTOCOLS, signal)
    if (signal.aborted) this.#drop()
    signal.throwIfAborted()
    const { protocol } = this.#stream ?? {}
    const isPlain = protocol === PROTOCOLS[2] || protocol === PROTOCOLS[3]
    const knows = protocol === PROTOCOLS[0]
    // who knows of no presences would send the block
    const wants = knows ? message.wants : message.wants.filter(({ kind, cancel }) => cancel || kind === 'block')
    const presences = knows ? message.presences : []
    if (wants.length + presences.length + message.blocks.length === 0) return
    if (this.#stream === undefined) throw networkErrors.E_STREAM(this.#parts.peer, PROTOCOLS[0], 'it was closed')
    await this.#stream.write(encodeParts({ wants, presences, blocks: message.blocks }, isPlain), { signal })
  }

  #drop(): void {
    this.#stream?.abort()
    this.#stream = undefined
  }

  /** Ends the stream when nothing is sent for a while. */
  #endWhenIdle(): void {
    if (this.#isRunning || this.#ending.signal.aborted) return
    clearTimeout(this.#idle)
    const { idleStream } = this.#parts.settings
    const isLazy = this.#asks.size > 0
    const rested = () => {
      if (this.#isRunning) return
      if (this.#asks.size > 0) this.wake()
      else void this.#end()
    }
    this.#idle = setTimeout(rested, isLazy ? Math.min(LAZY.time, idleStream) : idleStream)
    this.#idle.unref()
  }

  async #end(): Promise<void> {
    const stream = this.#stream
    this.#stream = undefined
    if (stream === undefined) return
    const timer = setTimeout(() => stream.abort(), this.#parts.settings.messageTimeout)
    timer.unref()
    const leave = () => stream.abort()
    this.#ending.signal.addEventListener('abort', leave)
    try {
      await stream.end()
      for await (const _ of stream);
    } catch {
      stream.abort()
    } finally {
      clearTimeout(timer)
      this.#ending.signal.removeEventListener('abort', leave)
    }
  }
}
