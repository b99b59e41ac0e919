import { StreamTurns, type Turns } from '../../core/concurrency/index.ts'
import { byteString } from '../../core/go/utf8.ts'
import {
  type Bitswap,
  type BitswapStat,
  type Block,
  type Blockstore,
  type CID,
  type Exchange,
  type ExchangeLedger,
  type FetchOptions,
  fastBlocks,
  type KnownPeer,
  type Logger,
  messageOf,
  type Network,
  type PeerStream,
  type Startable
} from '../../core/index.ts'
import { isExchanged, multihashOf } from './arrival.ts'
import { Wants } from './client/wants.ts'
import { bitswapErrors } from './errors.ts'
import { Inbound } from './peers/inbound.ts'
import type { BitswapPeer } from './peers/peer.ts'
import { PeerTable } from './peers/table.ts'
import { Providers } from './providers.ts'
import type { BitswapSettings } from './settings.ts'
import { ExchangeStats } from './stats.ts'
import type { ContentRouting } from './tokens.ts'
import { decodeMessage } from './wire/decode.ts'
import { keyOf, PROTOCOLS, type Received, type WireBlock } from './wire/message.ts'

/** Time between two looks at what peers let wait, and at how they are reached, in milliseconds. */
const [TICK, REACH_TICK] = [250, 500]

/** Streams of one connection at a time: some peers open one for each message. */
const MOST_STREAMS = 64

/** Messages in a row in which a peer says nothing. */
export const MOST_EMPTY = 1024

/** A block smaller than this part of its message is copied, as it would keep the message in memory. Four of a megabyte are a little less than quarters. */
const SMALL_PART = 5

interface ExchangeParts {
  readonly network: Network
  readonly store: Blockstore
  readonly routing: ContentRouting | undefined
  readonly settings: BitswapSettings
  readonly log: Logger
}

/** Blocks from and for other peers by bitswap 1.2.0, and by the versions before it. */
export class BitswapExchange implements Exchange, Bitswap, Startable {
  readonly verifies = true
  readonly #network: Network
  readonly #settings: BitswapSettings
  readonly #log: Logger
  readonly #stats = new ExchangeStats()
  readonly #peers: PeerTable
  readonly #wants: Wants
  readonly #inbound: Inbound
  readonly #providers: Providers
  readonly #ends: Array<() => unknown> = []
  #ticks: readonly NodeJS.Timeout[] = []

  constructor({ network, store, routing, settings, log }: ExchangeParts) {
    this.#network = network
    this.#settings = settings
    this.#log = log
    this.#inbound = new Inbound(settings)
    this.#providers = new Providers(network, routing, log)
    this.#peers = new PeerTable({
      network,
      store: fastBlocks(store),
      stats: this.#stats,
      settings,
      log,
      added: peer => this.#wants.added(peer),
      removed: peer => this.#wants.removed(peer)
    })
    this.#wants = new Wants({
      ...settings,
      peers: this.#peers.asked,
      now: () => performance.now(),
      search: (cid, signal) => this.#providers.search(cid, signal),
      lost: peer => bitswapErrors.E_BITSWAP_RELAYED(peer)
    })
  }

  async start(): Promise<void> {
    const network = this.#network
    for (const protocol of PROTOCOLS) {
      this.#ends.push(await network.handle(protocol, stream => this.#receive(stream), { maxInbound: MOST_STREAMS, onLimited: true }))
    }
    this.#ends.push(network.onIdentify(peer => this.#identified(peer)))
    this.#ends.push(network.onDisconnect(peer => this.#peers.remove(peer)))
    this.#ticks = [setInterval(() => this.#wants.tick(), TICK).unref(), setInterval(() => this.#peers.tick(), REACH_TICK).unref()]
  }

  async stop(): Promise<void> {
    for (const tick of this.#ticks) clearInterval(tick)
    for (const end of this.#ends) await end()
    this.#wants.stop(bitswapErrors.E_BITSWAP_STOPPED())
    await this.#peers.stop()
  }

  get(cid: CID, { signal, session }: FetchOptions = {}): Promise<Uint8Array> {
    return this.#wants.get(cid, signal, session)
  }

  notify(blocks: readonly Block[]): void {
    const isAwaited = this.#wants.size > 0
    if (!isAwaited && !this.#peers.isWanted) return
    for (const { cid, bytes } of blocks) {
      const key = keyOf(cid)
      if (isAwaited && this.#wants.has(key)) this.#wants.found(key, new Uint8Array(bytes))
      this.#peers.stored(key)
    }
  }

  stat(): BitswapStat {
    const stats = this.#stats
    return {
      wantlist: this.#wants.cids(),
      peers: this.#peers.ids(),
      blocksReceived: stats.blocksReceived,
      dataReceived: stats.dataReceived,
      duplicateBlocksReceived: stats.duplicateBlocksReceived,
      duplicateDataReceived: stats.duplicateDataReceived,
      messagesReceived: stats.messagesReceived,
      blocksSent: stats.blocksSent,
      dataSent: stats.dataSent
    }
  }

  wantlist(): readonly CID[] {
    return this.#wants.cids()
  }

  wantlistOf(peer: string): readonly CID[] | undefined {
    return this.#peers.wantlistOf(peer)
  }

  ledger(peer: string): ExchangeLedger {
    return this.#stats.ledger(peer)
  }

  #identified({ id, protocols }: KnownPeer): void {
    if (!PROTOCOLS.some(protocol => protocols.includes(protocol)) || this.#network.connections(id).length === 0) return
    try {
      this.#peers.admit(id)
      this.#peers.look(id)
    } catch (error) {
      // one that is kept away may not stay connected either
      this.#log.debug(`${id}: ${messageOf(error)}`)
      for (const connection of this.#network.connections(id)) connection.abort(error as Error)
    }
  }

  async #receive(stream: PeerStream): Promise<void> {
    const peer = this.#peers.admit(stream.peer)
    if (this.#network.connections(stream.peer).length === 0) {
      this.#peers.remove(stream.peer)
      return
    }
    const turns = new StreamTurns()
    try {
      for await (const bytes of this.#inbound.messages(stream, peer)) {
        // a peer may have sent thousands at once
        if (turns.due) await turns.take()
        await this.#message(peer, bytes, turns)
      }
    } catch (error) {
      if (String((error as { code?: unknown }).code).startsWith('E_BITSWAP_')) this.#peers.drop(peer.id, error)
      throw error
    }
  }

  async #message(peer: BitswapPeer, bytes: Uint8Array, turns: Turns): Promise<void> {
    const message = decodeMessage(bytes)
    this.#stats.messagesReceived++
    if (message.isEmpty) {
      if (++peer.empty > MOST_EMPTY) throw bitswapErrors.E_BITSWAP_EMPTY(peer.empty)
    } else peer.empty = 0
    if (message.blocks.length > 0) peer.asks.heard(performance.now())
    for (const { data, prefix } of message.blocks) {
      await this.#block(peer, { prefix, data: data.length * SMALL_PART < bytes.length ? data.slice() : data })
      if (turns.due) await turns.take()
    }
    for (const { cid, have } of message.presences) {
      this.#wants.presence(peer, keyOf(cid), have)
      if (turns.due) await turns.take()
    }
    await this.#wantsOf(peer, message, turns)
  }

  async #block(peer: BitswapPeer, block: WireBlock): Promise<void> {
    const multihash = await multihashOf(block)
    const key = multihash === undefined ? '' : byteString(multihash)
    const ask = peer.asks.remove(key)
    const isWanted = this.#wants.has(key)
    this.#stats.received(peer.id, block.data.length, !isWanted)
    if (ask === undefined && !isWanted && !peer.asks.unasked(key) && peer.asks.stray > this.#settings.maxStray)
      throw bitswapErrors.E_BITSWAP_STRAY(peer.asks.stray)
    if (ask !== undefined) peer.asks.answered(true, ask.at)
    if (!isWanted) return
    this.#peers.kept.came(peer.id)
    this.#wants.found(key, block.data, peer.id)
  }

  async #wantsOf(peer: BitswapPeer, { wants, full }: Received, turns: Turns): Promise<void> {
    if (full) peer.wants.clear()
    for (const want of wants()) {
      if (!isExchanged(want.cid)) {
        if (turns.due) await turns.take()
        continue
      }
      if (want.cancel) peer.wants.cancel(want.cid)
      else peer.wants.add(want)
      if (peer.wants.forgotten > this.#settings.maxForgotten) throw bitswapErrors.E_BITSWAP_FLOOD(peer.wants.forgotten)
      const room = peer.room()
      if (room !== undefined) {
        peer.wake()
        await room
      }
      if (peer.isGone) return
      if (turns.due) await turns.take()
    }
    if (peer.wants.queued > 0) peer.wake()
  }
}
