import type { CID } from 'multiformats/cid'
import { RAW } from '../../core/cid/codes.ts'
import { Turns } from '../../core/turns.ts'

/** CIDs in order: an array, or what takes less memory. */
export type Links = Pick<readonly CID[], 'length' | 'at'> & Iterable<CID>

/** What a node links to, in its order. At once where nothing has to be loaded for it. */
export type Children = (cid: CID, options: { signal?: AbortSignal }) => Promise<Links> | Links

/** Which of these are leaves for which nothing has to be loaded. Undefined where none of them can be. */
export type Leaves = (cids: readonly CID[], options: { signal?: AbortSignal }) => Promise<readonly boolean[]> | undefined

export interface CidSet {
  has(cid: CID): boolean
  add(cid: CID): unknown
}

/** A node some of whose links are still to be followed: those from `next` on. */
export interface Frame {
  readonly cid: CID
  readonly links: Links
  next: number
}

export interface WalkOptions {
  signal?: AbortSignal
  /** Nodes visited so far, by this walk or by others whose visits count as well. */
  seen: CidSet
  /** To be asked for many links at a time, before their links are loaded. */
  leaves?: Leaves | undefined
  /** Nodes whose links load ahead of the one being visited. Default 32. */
  ahead?: number
  /** Of these, nodes that may have links of their own, however many they have. Default 4. */
  leastAhead?: number
}

const NONE: Links = []
/** Links that are looked at together. */
const LOOK_AT = 256

/**
 * Links of nodes that were loaded ahead, about: so many that none of them waits for long. Of 32 nodes of a large file they would be 5,568,
 * some 3 MiB, and nearly all of them would outlive the young generation.
 */
const LINKS_AHEAD = 1024
/** Nodes that load ahead however many links they have. */
const LEAST_AHEAD = 4

/** What is known of some links of a frame: of those from `from` to `to`. */
interface Look {
  readonly from: number
  readonly to: number
  readonly isLeaf: readonly boolean[]
}

interface Load {
  readonly frame: Frame
  readonly index: number
  readonly isRaw: boolean
  readonly links: Promise<Links>
}

/**
 * Visits the nodes below its frames depth first, each once, parents before children, links in order. Unlike the walk of `core/dag` it says
 * where it stands and can go on from there, and it leaves to {@link Children} whether a block has to be read at all.
 *
 * `frames`, outermost first, say at any visit, and when a load throws, what is left.
 */
export class GraphWalk {
  readonly frames: Frame[]
  readonly #children: Children
  readonly #seen: CidSet
  readonly #leaves: Leaves | undefined
  readonly #ahead: number
  readonly #leastAhead: number
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #turns = new Turns()
  /** Started and not yet needed, the oldest first. */
  readonly #loads = new Set<Load>()
  readonly #started = new WeakMap<Frame, number>()
  /** Links of the node visited last that has any: of those to come, for all that is known. */
  #width: number
  readonly #looks = new WeakMap<Frame, Look>()

  constructor(frames: Frame[], children: Children, { signal, seen, leaves, ahead = 32, leastAhead = LEAST_AHEAD }: WalkOptions) {
    this.frames = frames
    this.#children = children
    this.#seen = seen
    this.#leaves = leaves
    this.#ahead = ahead
    this.#leastAhead = leastAhead
    this.#width = frames.at(-1)?.links.length ?? 0
    this.#signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
  }

  /** @throws what loading a node's links throws, after all visits before it */
  async *visits(): AsyncGenerator<CID> {
    const { frames } = this
    let current: Frame | undefined
    try {
      for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
        this.#signal.throwIfAborted()
        if (this.#turns.due) await this.#turns.take()
        const cid = frame.links.at(frame.next)
        if (cid === undefined) {
          frames.pop()
          continue
        }
        if (this.#seen.has(cid)) {
          frame.next++
          continue
        }
        const looking = this.#look(frame)
        if (looking !== undefined) await looking
        const isLeaf = this.#isLeaf(frame, frame.next)
        // Several at a time, as a store reads them with less work than one by one.
        if (frame !== current || (!isLeaf && this.#loads.size <= this.#ahead / 2)) this.#loadAhead()
        current = frame
        const loading = isLeaf ? NONE : this.#take(frame)
        const links = loading instanceof Promise ? await loading : loading
        frame.next++
        this.#seen.add(cid)
        // A node whose last link is being followed is done with: a chain of any length keeps one frame.
        if (frame.next >= frame.links.length) frames.pop()
        if (links.length > 0) {
          frames.push({ cid, links, next: 0 })
          this.#width = links.length
        }
        yield cid
      }
    } finally {
      this.#stop.abort()
    }
  }

  /** Has the next links of the frame looked at, unless they were. */
  #look(frame: Frame): Promise<void> | undefined {
    const from = frame.next
    if (this.#leaves === undefined || from < (this.#looks.get(frame)?.to ?? 0)) return undefined
    const to = Math.min(frame.links.length, from + LOOK_AT)
    const cids = Array.from({ length: to - from }, (_, i) => frame.links.at(from + i)!)
    const looking = this.#leaves(cids, { signal: this.#signal })
    this.#looks.set(frame, { from, to, isLeaf: [] })
    return looking?.then(isLeaf => {
      this.#looks.set(frame, { from, to, isLeaf })
    })
  }

  #isLeaf(frame: Frame, index: number): boolean {
    const look = this.#looks.get(frame)
    return look?.isLeaf[index - look.from] === true
  }

  #take(frame: Frame): Promise<Links> | Links {
    for (const load of this.#loads) {
      if (load.frame !== frame || load.index !== frame.next) continue
      this.#loads.delete(load)
      return load.links
    }
    return this.#children(frame.links.at(frame.next)!, { signal: this.#signal })
  }

  #loadAhead(): void {
    let room = this.#ahead
    for (let i = this.frames.length - 1; i >= 0 && room > 0; i--) room -= this.#loadFrom(this.frames[i]!, room)
    // Those of outer nodes make room and load again when their turn comes.
    for (const oldest of this.#loads) {
      if (this.#loads.size <= 2 * this.#ahead) break
      this.#loads.delete(oldest)
    }
  }

  /** @returns how many of the nodes just ahead belong to this frame */
  #loadFrom(frame: Frame, room: number): number {
    const end = Math.min(frame.links.length, frame.next + room, this.#looks.get(frame)?.to ?? Number.POSITIVE_INFINITY)
    let index = Math.max(frame.next, this.#started.get(frame) ?? 0)
    for (; index < end; index++) {
      const cid = frame.links.at(index)!
      if (this.#isLeaf(frame, index) || this.#seen.has(cid)) continue
      if (cid.code !== RAW && this.#nodesAhead() >= Math.max(this.#leastAhead, LINKS_AHEAD / this.#width)) break
      const links = this.#children(cid, { signal: this.#signal })
      if (!(links instanceof Promise)) continue
      // An error counts when the node's turn comes, and not at all when that never happens.
      links.catch(() => {})
      this.#loads.add({ frame, index, isRaw: cid.code === RAW, links })
    }
    this.#started.set(frame, index)
    return end - frame.next
  }

  #nodesAhead(): number {
    let nodes = 0
    for (const { isRaw } of this.#loads) if (!isRaw) nodes++
    return nodes
  }
}
