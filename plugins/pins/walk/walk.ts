import type { CID } from 'multiformats/cid'
import { RAW } from '../../../core/cid/codes.ts'
import { type Branch, type Measured, TreeWalk } from '../../../core/dag/index.ts'

/** CIDs in order: an array, or what takes less memory. */
export interface Links extends Measured, Iterable<CID> {
  at(index: number): CID | undefined
}

/** The links of a node, in its order. At once where nothing has to be loaded for it. */
export type Children = (cid: CID, options: { signal?: AbortSignal }) => Promise<Links> | Links

/** Which of these are leaves for which nothing has to be loaded. Undefined where none of them can be. */
export type Leaves = (cids: readonly CID[], options: { signal?: AbortSignal }) => Promise<readonly boolean[]> | undefined

export interface CidSet {
  has(cid: CID): boolean
  add(cid: CID): unknown
}

interface WalkOptions {
  signal?: AbortSignal
  /** Nodes visited so far, by this walk or by others whose visits count as well. */
  seen: CidSet
  /** To be asked for many links at a time, before their links are loaded. */
  leaves?: Leaves | undefined
  /** Nodes whose links load ahead of the one being visited. Default 32. */
  ahead?: number
  /** Nodes among these that may have links of their own, however many they have. Default 4. */
  leastAhead?: number
}

/** A node some of whose links are still to be followed: those from `next` on. */
export interface WalkFrame {
  readonly cid: CID
  readonly links: Links
  next: number
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

/** A frame as the walk goes through it. What it holds is counted nowhere: a graph may be as deep as it is. */
class Following implements Branch {
  readonly held = 0
  readonly frame: WalkFrame
  readonly length: number
  readonly #seen: CidSet
  readonly #leaves: Leaves | undefined
  /** Whether each of the links from `#lookedFrom` to {@link known} is a leaf. */
  #isLeaf: readonly boolean[] = []
  #lookedFrom = 0
  #known: number

  constructor(frame: WalkFrame, seen: CidSet, leaves: Leaves | undefined) {
    this.frame = frame
    this.length = frame.links.length
    this.#seen = seen
    this.#leaves = leaves
    this.#known = leaves === undefined ? this.length : frame.next
  }

  /** Links from here on were not looked at yet. */
  get known(): number {
    return this.#known
  }

  load(index: number): CID | undefined {
    if (this.#isLeaf[index - this.#lookedFrom] === true) return undefined
    const cid = this.frame.links.at(index)!
    return this.#seen.has(cid) ? undefined : cid
  }

  /** Has the next links looked at, unless they were. */
  look(options: { signal?: AbortSignal }): Promise<void> | undefined {
    const from = this.frame.next
    if (from < this.#known) return undefined
    const to = Math.min(this.length, from + LOOK_AT)
    const cids = Array.from({ length: to - from }, (_, i) => this.frame.links.at(from + i)!)
    const looking = this.#leaves!(cids, options)
    const found = (isLeaf: readonly boolean[]) => {
      this.#isLeaf = isLeaf
      this.#lookedFrom = from
      this.#known = to
    }
    if (looking !== undefined) return looking.then(found)
    found([])
    return undefined
  }
}

/**
 * Visits the nodes below its frames depth first, each once, parents before children, links in order. It goes with the walk that all share,
 * {@link TreeWalk}. What `walk` of `core/dag` does not do: it says where it stands and can go on from there, and it leaves to {@link Children}
 * whether a block has to be read at all.
 *
 * `frames`, outermost first, say at any visit, and when a load throws, what is left.
 */
export class GraphWalk {
  readonly frames: WalkFrame[]
  readonly #tree: TreeWalk<Following, Links>
  readonly #seen: CidSet
  readonly #leaves: Leaves | undefined
  readonly #options: { signal?: AbortSignal }

  constructor(frames: WalkFrame[], children: Children, { signal, seen, leaves, ahead = 32, leastAhead = LEAST_AHEAD }: WalkOptions) {
    this.frames = frames
    this.#seen = seen
    this.#leaves = leaves
    this.#options = { ...(signal && { signal }) }
    // Ahead of the one visited: the walk counts the one that comes next as well.
    const least = leastAhead + 1
    const limits = { ahead, aheadAtFirst: ahead, aheadBytes: LINKS_AHEAD, leastAhead: least, held: Number.POSITIVE_INFINITY }
    // Of the nodes to come it is only known how many links the one above them has.
    const usual = frames.at(-1)?.links.length ?? 0
    this.#tree = new TreeWalk<Following, Links>({ get: children, isEmpty: cid => cid.code === RAW }, this.#options, { ...limits, usual })
    const entered = frames.splice(0).filter(frame => frame.next < frame.links.length)
    for (const frame of entered) this.#enter(frame)
  }

  /** @throws what loading a node's links throws, after all visits before it */
  async *visits(): AsyncGenerator<CID> {
    const tree = this.#tree
    try {
      while (!tree.done) {
        const looking = tree.branch?.look(this.#options)
        if (looking !== undefined) await looking
        const reached = tree.take()
        if (reached === undefined) {
          await tree.wait()
          continue
        }
        const { frame, length } = reached.branch
        const cid = reached.cid ?? frame.links.at(reached.index)!
        frame.next = reached.index + 1
        // A node whose last link is being followed is done with: a chain of any length keeps one frame.
        if (frame.next === length) this.frames.pop()
        if (this.#seen.has(cid)) continue
        this.#seen.add(cid)
        const links = reached.loaded ?? NONE
        if (links.length > 0) this.#enter({ cid, links, next: 0 })
        yield cid
      }
    } finally {
      tree.close()
    }
  }

  #enter(frame: WalkFrame): void {
    const branch = new Following(frame, this.#seen, this.#leaves)
    this.frames.push(frame)
    this.#tree.enter(branch, frame.next)
  }
}
