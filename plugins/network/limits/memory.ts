import type { ScopeLimits } from '../../../core/index.ts'

const MiB = 2 ** 20

/** Bytes that each piece of what is unread takes besides its own. */
const PIECE = 128

/** What the streams of a connection, and those of a peer, may take: so much, and no more than a part of all (go-libp2p 0.33, limit_defaults.go). */
export const CONNECTION = { most: 32 * MiB, part: 1 / 16 } as const
export const PEER = { most: 64 * MiB, part: 1 / 8 } as const

/** How much may lie unread as a multiple of a share: each stream has its smallest window besides what windows grow by. */
export const UNREAD = 2

/** Bytes in use of some streams, and how many there may be. */
class Total {
  windows = 0
  unread = 0
  readonly most: () => number
  readonly mostUnread: () => number

  constructor(most: () => number, mostUnread: () => number) {
    this.most = most
    this.mostUnread = mostUnread
  }
}

/** What whoever reads a stream holds of it, apart from the stream: bytes, and the pieces that they are in. */
type Held = () => readonly [bytes: number, pieces: number]

const held = new WeakMap<object, Held>()
const windows = new WeakMap<object, number>()

/** Has what a reader of a stream holds counted with it. */
export function countHeld(stream: object, count: Held): void {
  held.set(stream, count)
}

/** By how many bytes the window of a stream has grown. */
export function windowOf(stream: object): number {
  return windows.get(stream) ?? 0
}

/** The bytes of a stream that lie here unread, with what they take besides. */
export function unreadOf(stream: object): number {
  const { readBuffer } = stream as { readonly readBuffer?: { readonly byteLength: number; readonly bufs?: readonly unknown[] } }
  const [bytes, pieces] = held.get(stream)?.() ?? [0, 0]
  return bytes + (readBuffer?.byteLength ?? 0) + PIECE * (pieces + (readBuffer?.bufs?.length ?? 0))
}

/**
 * The memory that streams with peers take (`Swarm.ResourceMgr.MaxMemory`): by how much their windows have grown, and what lies unread. A connection
 * and a peer have a share of it.
 */
export class StreamMemory {
  readonly #limits: () => ScopeLimits
  readonly #node = new Total(
    () => this.#most,
    () => this.#most
  )
  readonly #peers = new Map<string, { readonly total: Total; connections: number }>()
  readonly #connections = new WeakMap<object, ConnectionMemory>()
  /** The largest request of protocols whose streams carry nothing else. */
  readonly #requests = new Map<string, number>([['/ipfs/ping/1.0.0', 32]])

  /** @param limits - of the whole node */
  constructor(limits: () => ScopeLimits) {
    this.#limits = limits
  }

  get #most(): number {
    return this.#limits().memory ?? Number.POSITIVE_INFINITY
  }

  /** Sets the largest request that comes over the streams of a protocol: their windows need to grow no further. */
  requests(protocol: string, largest: number): void {
    this.#requests.set(protocol, largest)
  }

  largestRequest(protocol: string): number | undefined {
    return this.#requests.get(protocol)
  }

  /** The memory of a connection, by its muxer. */
  connection(muxer: object): ConnectionMemory {
    const made = new ConnectionMemory([this.#share(CONNECTION), this.#node], {
      enter: peer => {
        const known = this.#peers.get(peer) ?? { total: this.#share(PEER), connections: 0 }
        known.connections++
        this.#peers.set(peer, known)
        return known.total
      },
      leave: peer => {
        const known = this.#peers.get(peer)
        if (known !== undefined && --known.connections === 0) this.#peers.delete(peer)
      }
    })
    this.#connections.set(muxer, made)
    return made
  }

  /** The connection of this muxer is one with a peer, whose share counts for it from now on. */
  belongs(muxer: object, peer: string): void {
    this.#connections.get(muxer)?.belongsTo(peer)
  }

  /** The connection of this muxer is over. */
  over(muxer: object): void {
    this.#connections.get(muxer)?.close()
  }

  #share({ most, part }: typeof CONNECTION | typeof PEER): Total {
    const share = () => Math.min(most, this.#most * part)
    return new Total(share, () => UNREAD * share())
  }
}

interface Sharing {
  enter(peer: string): Total
  leave(peer: string): void
}

/** What lies unread of a stream: where it can be seen, and where only what has come is known. */
interface Unread {
  readonly bytes: number
  readonly hidden: number
}

/** The memory of the streams of one connection. */
export class ConnectionMemory {
  readonly #sharing: Sharing
  readonly #unread = new Map<object, Unread>()
  #totals: readonly Total[]
  #peer: string | undefined

  constructor(totals: readonly Total[], sharing: Sharing) {
    this.#totals = totals
    this.#sharing = sharing
  }

  belongsTo(peer: string): void {
    if (this.#peer !== undefined) return
    this.#peer = peer
    const [own] = this.#totals
    const ofPeer = this.#sharing.enter(peer)
    ofPeer.windows += own!.windows
    ofPeer.unread += own!.unread
    this.#totals = [...this.#totals, ofPeer]
  }

  /** Lets the window of a stream grow by so many bytes. @returns whether there is room for that */
  grow(stream: object, bytes: number): boolean {
    if (bytes > 0 && !this.#totals.every(total => total.windows + bytes <= total.most())) return false
    windows.set(stream, windowOf(stream) + bytes)
    for (const total of this.#totals) total.windows += bytes
    return true
  }

  /**
   * Counts what lies unread of a stream.
   *
   * @param hidden - what has come that a reader may hold out of sight
   * @returns whether there may be so much
   */
  count(stream: object, hidden = 0): boolean {
    this.#set(stream, hidden)
    if (!this.#isOver) return true
    // others may have been read since
    for (const [other, { hidden: before }] of this.#unread) this.#set(other, before)
    return !this.#isOver
  }

  /** A stream holds nothing any more. */
  end(stream: object): void {
    const bytes = windowOf(stream)
    windows.delete(stream)
    for (const total of this.#totals) total.windows -= bytes
    this.#add(-total(this.#unread.get(stream)))
    this.#unread.delete(stream)
  }

  /** The connection is over. */
  close(): void {
    for (const stream of [...this.#unread.keys()]) this.end(stream)
    if (this.#peer !== undefined) this.#sharing.leave(this.#peer)
    this.#peer = undefined
  }

  get #isOver(): boolean {
    return this.#totals.some(({ unread, mostUnread }) => unread > mostUnread())
  }

  #set(stream: object, hidden: number): void {
    const next = { bytes: unreadOf(stream), hidden }
    this.#add(total(next) - total(this.#unread.get(stream)))
    this.#unread.set(stream, next)
  }

  #add(bytes: number): void {
    if (bytes !== 0) for (const one of this.#totals) one.unread += bytes
  }
}

const total = (unread: Unread | undefined) => (unread === undefined ? 0 : unread.bytes + unread.hidden)
