import type { CID } from 'multiformats/cid'
import { dagErrors } from '../errors/dag.ts'
import type { Link, Visit } from '../services/dag.ts'

export interface Source {
  /** Loads a block. */
  get(cid: CID, options: { signal?: AbortSignal }): Promise<Uint8Array>
  /** The links of a block whose bytes are at hand. */
  links(cid: CID, bytes: Uint8Array): readonly Link[]
}

/** A link that was followed: the one at `index` of the block `cid`. */
export interface Step {
  readonly cid: CID
  readonly index: number
}

/** The block that could not be loaded or read, and how it was reached: from the root, which no step leads to. */
export interface Failed {
  readonly cid: CID
  readonly steps: readonly Step[]
}

export interface WalkOptions {
  signal?: AbortSignal
  /** Visit each CID once. Default true. */
  unique?: boolean
  /** The CIDs visited so far, to be shared between walks. */
  seen?: SeenCids
  /** Links to follow from the root; default without limit. */
  maxDepth?: number
  /** Most visits; one more is an error. Default without limit. */
  maxVisits?: number
  /** Blocks to load ahead of the one being looked at. Default 16. */
  ahead?: number
  /** What is thrown instead of the error that a block gave. */
  onFailure?(error: unknown, at: Failed): Promise<unknown>
}

/** A JavaScript set takes no more than 2^24 entries. */
const SET_SIZE = 1 << 23

/** A set of CIDs by their bytes, of any size. */
export class SeenCids {
  readonly #full: Array<Set<string>> = []
  #keys = new Set<string>()

  get size(): number {
    return this.#full.length * SET_SIZE + this.#keys.size
  }

  has(cid: CID): boolean {
    return this.#has(cidKey(cid))
  }

  /** @returns whether it was not in the set before */
  add(cid: CID): boolean {
    return this.#add(cidKey(cid))
  }

  addAll(other: SeenCids): void {
    for (const keys of [...other.#full, other.#keys]) for (const key of keys) this.#add(key)
  }

  #add(added: string): boolean {
    if (this.#has(added)) return false
    if (this.#keys.size === SET_SIZE) {
      this.#full.push(this.#keys)
      this.#keys = new Set()
    }
    this.#keys.add(added)
    return true
  }

  #has(wanted: string): boolean {
    return this.#keys.has(wanted) || this.#full.some(keys => keys.has(wanted))
  }
}

/** A CID as a string that takes little to make: a character for each of its bytes. */
export function cidKey(cid: CID): string {
  const { bytes } = cid
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** A block that is still to be visited. */
interface Pending {
  readonly cid: CID
  readonly depth: number
  readonly parent: Pending | undefined
  /** Of the link in the parent. */
  readonly index: number
  loading?: Promise<Uint8Array> | undefined
}

/**
 * Visits the blocks of a graph depth first, parents before children, links in order. While one block is looked at, the next ones load.
 * Memory: the links still to be followed, and a few times `ahead` blocks.
 *
 * @throws E_WALK_TOO_LONG, what loading a block or reading its links throws, after all visits before it
 */
export async function* walk(root: CID, source: Source, options: WalkOptions = {}): AsyncGenerator<Visit> {
  const { signal, unique = true, seen = new SeenCids(), ahead = 16, onFailure } = options
  const { maxDepth = Number.POSITIVE_INFINITY, maxVisits = Number.POSITIVE_INFINITY } = options
  let visits = 0
  const stack: Pending[] = [{ cid: root, depth: 0, parent: undefined, index: 0 }]
  const loads = new Loads(source, ahead, signal)
  try {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      signal?.throwIfAborted()
      const { cid, depth, parent } = next
      if (unique && !seen.add(cid)) {
        loads.forget(next)
        continue
      }
      if (++visits > maxVisits) throw dagErrors.E_WALK_TOO_LONG(maxVisits)
      let bytes: Uint8Array
      let links: readonly Link[] = []
      try {
        bytes = await loads.take(next)
        if (depth < maxDepth) links = source.links(cid, bytes)
      } catch (error) {
        throw onFailure === undefined ? error : await onFailure(error, { cid, steps: stepsTo(next) })
      }
      for (let i = links.length - 1; i >= 0; i--) stack.push({ cid: links[i]!.cid, depth: depth + 1, parent: next, index: i })
      loads.start(stack, unique ? seen : undefined)
      yield { cid, bytes, depth, parent: parent?.cid, links }
    }
  } finally {
    loads.stop()
  }
}

function stepsTo({ parent, index }: Pending): Step[] {
  const steps: Step[] = []
  for (let of = parent, at = index; of !== undefined; at = of.index, of = of.parent) steps.unshift({ cid: of.cid, index: at })
  return steps
}

/** Loads blocks from the top of a walk's stack downwards, a few at a time. */
class Loads {
  readonly #source: Source
  readonly #ahead: number
  readonly #stopped = new AbortController()
  readonly #signal: AbortSignal
  /** What is loading or loaded and not yet visited, the oldest first. */
  readonly #started = new Set<Pending>()

  constructor(source: Source, ahead: number, signal: AbortSignal | undefined) {
    this.#source = source
    this.#ahead = ahead
    this.#signal = signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal])
  }

  take(pending: Pending): Promise<Uint8Array> {
    const { loading } = pending
    this.forget(pending)
    return loading ?? this.#source.get(pending.cid, { signal: this.#signal })
  }

  forget(pending: Pending): void {
    pending.loading = undefined
    this.#started.delete(pending)
  }

  /** Loads several at a time, as a store reads them with less work than one by one: nothing as long as half of them are under way. */
  start(stack: readonly Pending[], seen: SeenCids | undefined): void {
    const isWaiting = (pending: Pending) => pending.loading === undefined && seen?.has(pending.cid) !== true
    if (!stack.slice(-Math.ceil(this.#ahead / 2)).some(isWaiting)) return
    const first = Math.max(0, stack.length - this.#ahead)
    for (let i = stack.length - 1; i >= first; i--) {
      const pending = stack[i]!
      if (!isWaiting(pending)) continue
      pending.loading = this.#source.get(pending.cid, { signal: this.#signal })
      // An error counts when the block's turn comes, and not at all when that never happens.
      pending.loading.catch(() => {})
      this.#started.add(pending)
    }
    this.#giveWay()
  }

  /** What was loaded first lies deepest in the stack: it makes room, and is loaded again when its turn comes. */
  #giveWay(): void {
    for (const oldest of this.#started) {
      if (this.#started.size <= 2 * this.#ahead) break
      this.forget(oldest)
    }
  }

  stop(): void {
    this.#stopped.abort()
  }
}
