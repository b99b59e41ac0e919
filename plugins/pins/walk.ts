import type { CID } from 'multiformats/cid'

/** What a node links to, in its order. At once where nothing has to be loaded for it. */
export type Children = (cid: CID, options: { signal?: AbortSignal }) => Promise<readonly CID[]> | readonly CID[]

export interface CidSet {
  has(cid: CID): boolean
  add(cid: CID): unknown
}

/** A node some of whose links are still to be followed: those from `next` on. */
export interface Frame {
  readonly cid: CID
  readonly links: readonly CID[]
  next: number
}

export interface WalkOptions {
  signal?: AbortSignal
  /** Nodes visited so far, by this walk or by others whose visits count as well. */
  seen: CidSet
  /** Nodes whose links load ahead of the one being visited. Default 32. */
  ahead?: number
}

interface Load {
  readonly frame: Frame
  readonly index: number
  readonly links: Promise<readonly CID[]>
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
  readonly #ahead: number
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  /** Started and not yet needed, the oldest first. */
  readonly #loads = new Set<Load>()
  readonly #started = new WeakMap<Frame, number>()

  constructor(frames: Frame[], children: Children, { signal, seen, ahead = 32 }: WalkOptions) {
    this.frames = frames
    this.#children = children
    this.#seen = seen
    this.#ahead = ahead
    this.#signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
  }

  /** @throws what loading a node's links throws, after all visits before it */
  async *visits(): AsyncGenerator<CID> {
    const { frames } = this
    try {
      for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
        this.#signal.throwIfAborted()
        const cid = frame.links[frame.next]
        if (cid === undefined) {
          frames.pop()
          continue
        }
        if (this.#seen.has(cid)) {
          frame.next++
          continue
        }
        const loading = this.#take(frame)
        const links = loading instanceof Promise ? await loading : loading
        frame.next++
        this.#seen.add(cid)
        // A node whose last link is being followed is done with: a chain of any length keeps one frame.
        if (frame.next >= frame.links.length) frames.pop()
        if (links.length > 0) frames.push({ cid, links, next: 0 })
        // Several at a time, as a store reads them with less work than one by one.
        if (links.length > 0 || this.#loads.size <= this.#ahead / 2) this.#loadAhead()
        yield cid
      }
    } finally {
      this.#stop.abort()
    }
  }

  #take(frame: Frame): Promise<readonly CID[]> | readonly CID[] {
    for (const load of this.#loads) {
      if (load.frame !== frame || load.index !== frame.next) continue
      this.#loads.delete(load)
      return load.links
    }
    return this.#children(frame.links[frame.next]!, { signal: this.#signal })
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
    const end = Math.min(frame.links.length, frame.next + room)
    let index = Math.max(frame.next, this.#started.get(frame) ?? 0)
    for (; index < end; index++) {
      const cid = frame.links[index]!
      if (this.#seen.has(cid)) continue
      const links = this.#children(cid, { signal: this.#signal })
      if (!(links instanceof Promise)) continue
      // An error counts when the node's turn comes, and not at all when that never happens.
      links.catch(() => {})
      this.#loads.add({ frame, index, links })
    }
    this.#started.set(frame, index)
    return end - frame.next
  }
}
