import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../../cid/codes.ts'
import { copyOfCid } from '../../cid/parse.ts'
import type { Failed, Link, Step, Visit } from '../../services/content/dag.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import type { FoundBlock } from '../../services/storage/blockstore.ts'
import type { ReadAhead } from '../../services/storage/read-ahead.ts'
import { turnBefore } from '../../turns.ts'
import { dagErrors } from '../errors.ts'
import { type NodeLinks, nodeOfLinks } from '../node-links.ts'
import { openPb } from '../pb.ts'
import type { Branch, ChildSource, Reached } from './branch.ts'
import { SeenCids } from './seen-cids.ts'
import { TreeWalk } from './tree-walk.ts'

/** What a walk says of how a block is loaded. */
type LoadOptions = Pick<BlockOptions, 'signal' | 'transient'>

export interface Source {
  /** Loads a block. */
  get(cid: CID, options: LoadOptions): Promise<Uint8Array>
  /** See `Blocks.readAll`. */
  readAll?(cids: readonly CID[], options: LoadOptions): Promise<readonly FoundBlock[]>
  /** See `Blocks.reading`. */
  reading?: ChildSource<Uint8Array>['reading']
  /** The links of a block whose bytes are at hand. */
  links(cid: CID, bytes: Uint8Array): readonly Link[]
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
  /** Most memory of blocks that have links still to be followed, in bytes. Default 128 MiB. */
  held?: number
  /** The memory that it shares with other walks. */
  budget?: ReadAhead | undefined
  /** Whether a block that could not be loaded is left out, with what hangs below it alone. Default: none is. */
  skips?(error: unknown): boolean
  /** The error that is thrown instead of the one that a block gave. */
  onFailure?(error: unknown, at: Failed): Promise<unknown>
}

/** How a node was reached: apart from the node itself, so that nothing below it keeps its block in memory. */
interface Trail {
  readonly cid: CID
  readonly parent: Trail | undefined
  /** The number of the link in the parent. */
  readonly index: number
}

/** A node whose links are followed. What stands above the root has no trail. */
class Linking implements Branch {
  readonly length: number
  readonly held: number
  readonly depth: number
  readonly trail: Trail | undefined
  readonly #seen: SeenCids | undefined
  readonly #open: (block: Uint8Array) => NodeLinks
  #node: NodeLinks | undefined

  constructor(
    node: NodeLinks,
    at: { bytes: number; depth: number; trail: Trail | undefined; open: (block: Uint8Array) => NodeLinks },
    seen: SeenCids | undefined
  ) {
    this.length = node.length
    this.held = at.bytes + node.held
    this.depth = at.depth
    this.trail = at.trail
    this.#open = at.open
    this.#node = node
    this.#seen = seen
  }

  get block(): CID | undefined {
    return this.trail?.cid
  }

  load(index: number): CID | undefined {
    const cid = this.#node!.cid(index)
    return this.#seen?.has(cid) ? undefined : cid
  }

  close(): void {
    this.#node = undefined
  }

  reopen(block: Uint8Array): void {
    this.#node = this.#open(block)
  }
}

/** The branch above the root: a node that links to it. */
function above(root: CID, seen: SeenCids | undefined): Linking {
  const node = nodeOfLinks([{ cid: root, name: '' }])
  return new Linking(node, { bytes: 0, depth: -1, trail: undefined, open: () => node }, seen)
}

/**
 * Visits the blocks of a graph depth first, parents before children, links in order. While one block is looked at, the next ones load.
 * Memory: the blocks that have links still to be followed, and those that were loaded ahead.
 *
 * @throws E_WALK_TOO_LONG, E_UNIXFS_TOO_DEEP, what loading a block or reading its links throws, after all visits before it
 */
export async function* walk(root: CID, source: Source, options: WalkOptions = {}): AsyncGenerator<Visit> {
  const { signal, unique = true, seen = new SeenCids(), ahead = 16, held, budget, onFailure, skips } = options
  const { maxDepth = Number.POSITIVE_INFINITY, maxVisits = Number.POSITIVE_INFINITY } = options
  const known = unique ? seen : undefined
  const tree = new TreeWalk<Linking>(source, { ...(signal && { signal }) }, { ahead, aheadAtFirst: ahead, budget, ...(held && { held }) })
  tree.enter(above(root, known))
  const told = async (error: unknown, at: Reached<Linking>) =>
    onFailure === undefined ? error : onFailure(error, { cid: at.cid!, steps: stepsTo(at) })
  let visits = 0
  try {
    await tree.hold(root)
    while (!tree.done) {
      const child = await nextOf(tree, told, skips)
      const { branch, index, cid, loaded: bytes } = child
      if (cid === undefined || bytes === undefined || known?.add(cid) === false) continue
      if (++visits > maxVisits) throw dagErrors.E_WALK_TOO_LONG(maxVisits)
      const depth = branch.depth + 1
      if (depth < maxDepth) {
        const kept = copyOfCid(cid)
        const open = opener(kept, source)
        await turnBefore(kept.code, bytes, signal)
        let node: NodeLinks
        try {
          node = open(bytes)
        } catch (error) {
          throw await told(error, child)
        }
        tree.enter(new Linking(node, { bytes: bytes.length, depth, trail: { cid: kept, parent: branch.trail, index }, open }, known))
      }
      const links = () => (depth < maxDepth ? source.links(cid, bytes) : [])
      yield new Visited({ cid, bytes, depth, parent: branch.trail?.cid }, links)
    }
  } finally {
    tree.close()
  }
}

/** The next child, without a block where it is left out. @throws what loading the child has thrown, as `told` has it */
async function nextOf(
  tree: TreeWalk<Linking>,
  told: (error: unknown, at: Reached<Linking>) => Promise<unknown>,
  skips?: (error: unknown) => boolean
): Promise<Reached<Linking>> {
  for (;;) {
    let child: Reached<Linking> | undefined
    try {
      child = tree.take()
    } catch (error) {
      // none where a node on the way could not be opened again
      const at = tree.next
      if (at === undefined) throw error
      if (skips?.(error) !== true) throw await told(error, at)
      tree.skip()
    }
    if (child !== undefined) return child
    await tree.wait()
  }
}

/** Apart from where blocks are at hand: a function keeps all that stands beside it. */
function opener(cid: CID, source: Source): (block: Uint8Array) => NodeLinks {
  return block => nodeOf(cid, block, source)
}

/** The links of a block, read without making objects of them all where its codec has any number of them. */
function nodeOf(cid: CID, bytes: Uint8Array, source: Source): NodeLinks {
  return cid.code === DAG_PB ? openPb(bytes) : nodeOfLinks(source.links(cid, bytes))
}

/** A visit whose links are made where somebody asks for them. */
class Visited implements Visit {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly depth: number
  readonly parent: CID | undefined
  readonly #links: () => readonly Link[]

  constructor(reached: Pick<Visit, 'cid' | 'bytes' | 'depth' | 'parent'>, links: () => readonly Link[]) {
    this.cid = reached.cid
    this.bytes = reached.bytes
    this.depth = reached.depth
    this.parent = reached.parent
    this.#links = links
  }

  get links(): readonly Link[] {
    return this.#links()
  }
}

function stepsTo({ branch: { trail }, index }: Reached<Linking>): Step[] {
  const steps: Step[] = []
  for (let of = trail, at = index; of !== undefined; at = of.index, of = of.parent) steps.push({ cid: of.cid, index: at })
  return steps.reverse()
}
