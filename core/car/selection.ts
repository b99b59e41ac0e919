import type { CID } from 'multiformats/cid'
import { IDENTITY } from '../cid/codes.ts'
import { SeenCids } from '../dag/walk/seen-cids.ts'
import { TreeWalk } from '../dag/walk/tree-walk.ts'
import { type Source, walk } from '../dag/walk/walk.ts'
import { hasCode } from '../errors.ts'
import { resolveSegments } from '../path/resolve.ts'
import type { Block, BlockOptions } from '../services/storage/blocks.ts'
import { isContradiction, unixfsErrors } from '../unixfs/export/errors.ts'
import { HOLLOW } from '../unixfs/export/file.ts'
import { decodeBlock, type LoadedBlock, openLoaded, type Sources } from '../unixfs/export/node.ts'
import { PlacedShard } from '../unixfs/export/trie.ts'
import { Parts, type Selecting, Shards, type Span } from './branches.ts'

/**
 * How much of what a path leads to is selected: its first block; the blocks of a file or of a directory without what is in it; all that it
 * links to (IPIP-402).
 */
export type CarScope = 'block' | 'entity' | 'all'

/** Bytes of a file, both ends included; negative numbers count from the file's end. */
export interface ByteSpan {
  readonly from: bigint
  /** undefined: to the end. */
  readonly to: bigint | undefined
}

/** Which blocks are wanted. */
export interface Selection {
  readonly scope: CarScope
  /** The only bytes that are selected of an entity that is a file. */
  readonly bytes?: ByteSpan | undefined
  /** Whether a block appears wherever it is met, in place of once. */
  readonly duplicates?: boolean
}

/** Blocks that were selected, the first of what the path leads to looked at. */
export interface Selected {
  /** The block that the path ends in; undefined for a path that leads nowhere. */
  readonly terminal: CID | undefined
  /**
   * The blocks on the path's way, which also show that it leads nowhere, then those of its target, depth first, links in order. Identity CIDs have
   * none.
   */
  blocks(): AsyncGenerator<Block>
}

/**
 * Follows a path and selects blocks of what it leads to, so that who has them can follow the path and read that much.
 *
 * @throws what keeps the path from being followed, and what loading the block throws that it leads to; not that there is no such path
 */
export async function selectBlocks(
  root: CID,
  segments: readonly string[],
  selection: Selection,
  sources: Sources,
  options: BlockOptions = {}
): Promise<Selected> {
  const way: CID[] = []
  let failed = false
  const get = async (cid: CID) => {
    way.push(cid)
    try {
      return await sources.blocks.get(cid, options)
    } catch (error) {
      failed = true
      throw error
    }
  }
  const end = await resolveSegments('ipfs', root, segments, { ...sources, blocks: { get } }, options).catch(error => {
    if (failed || !ABSENT.some(code => hasCode(error, code))) throw error
    return undefined
  })
  const terminal = end?.cid
  if (terminal !== undefined) await sources.blocks.get(terminal, options)
  return { terminal, blocks: () => selected(way, terminal, selection, sources, options) }
}

/** Of the module: a generator that is a function of its call keeps it, and all that it holds, from being collected while young. */
async function* selected(
  way: readonly CID[],
  terminal: CID | undefined,
  selection: Selection,
  sources: Sources,
  options: BlockOptions
): AsyncGenerator<Block> {
  const met = new Met(selection.duplicates === true)
  // of a path that ends inside of a block, that is on the way as well
  const before = way.filter(cid => terminal === undefined || !cid.equals(terminal))
  for (const cid of before) if (met.add(cid)) yield { cid, bytes: await sources.blocks.get(cid, options) }
  if (terminal !== undefined) yield* below(terminal, selection, met, sources, options)
}

/** Errors by which a block says that it has no such entry. */
const ABSENT = ['E_LINK_MISSING', 'E_KEY_NOT_FOUND', 'E_NO_SUCH_FIELD', 'E_WRONG_KIND', 'E_SEGMENT_INVALID', 'E_FILE_HAS_NO_LINKS']

/** The blocks that were handed out. */
class Met {
  readonly seen: SeenCids | undefined

  constructor(duplicates: boolean) {
    this.seen = duplicates ? undefined : new SeenCids()
  }

  /** @returns whether the block is to be handed out */
  add(cid: CID): boolean {
    return cid.multihash.code !== IDENTITY && this.seen?.add(cid) !== false
  }
}

/** The part of a terminal that is selected: its block, all that it links to, or what a branch says. */
type Extent = 'block' | 'all' | Selecting

/** Blocks from a terminal on. What runs for as long as somebody reads has no block of its own but the one that is being read. */
async function* below(terminal: CID, selection: Selection, met: Met, sources: Sources, options: BlockOptions): AsyncGenerator<Block> {
  const extent = await extentOf(terminal, selection, sources, options)
  if (extent === 'all') yield* everything(terminal, met, sources, options)
  else if (extent !== 'block') yield* walked(terminal, extent, met, sources, options)
  else if (met.add(terminal)) yield { cid: terminal, bytes: await sources.blocks.get(terminal, options) }
}

async function extentOf(terminal: CID, { scope, bytes, duplicates }: Selection, sources: Sources, options: BlockOptions): Promise<Extent> {
  if (scope !== 'entity') return scope
  const loaded = decodeBlock(terminal, await sources.blocks.get(terminal, options), sources.codecs)
  const node = loaded.kind === 'other' ? undefined : await nodeOf(loaded, sources, options)
  if (node?.type === 'directory' && node.shard !== undefined)
    return new Shards(loaded, sources.codecs, new PlacedShard(node.shard, terminal))
  if (node?.type !== 'file') return 'block'
  if (bytes === undefined) return 'all'
  const span = within(bytes, BigInt.asUintN(64, node.size))
  return span === undefined ? 'block' : new Parts(loaded, sources.codecs, 0, { span, whole: duplicates ? undefined : new SeenCids() })
}

async function* everything(
  terminal: CID,
  { seen }: Met,
  { blocks, codecs, limits }: Sources,
  options: BlockOptions
): AsyncGenerator<Block> {
  const source: Source = {
    get: async (cid, { signal, transient }) => blocks.get(cid, { ...options, signal, transient }),
    readAll: blocks.readAll && ((cids, { signal, transient }) => blocks.readAll!(cids, { ...options, signal, transient })),
    reading: blocks.reading && (root => blocks.reading!(root)),
    links: (cid, bytes) => [...codecs.codec(cid.code).links(bytes)]
  }
  const how = seen === undefined ? { unique: false } : { seen }
  const { signal } = options
  for await (const { cid, bytes } of walk(terminal, source, { ...limits, ...(signal && { signal }), ...how })) {
    if (cid.multihash.code !== IDENTITY) yield { cid, bytes }
  }
}

/** The UnixFS node of a block; undefined where it is none. @throws what is wrong with a file or a shard that contradicts itself */
async function nodeOf(loaded: LoadedBlock, sources: Sources, options: BlockOptions) {
  try {
    return await openLoaded(loaded, sources, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (isContradiction(error)) throw error
    return undefined
  }
}

/** @returns undefined where nothing of the file lies within */
function within({ from, to }: ByteSpan, size: bigint): Span | undefined {
  const first = from < 0n ? (size + from < 0n ? 0n : size + from) : from
  const last = to === undefined || to >= size ? size - 1n : to < 0n ? size + to : to
  // of a file without bytes, what it has of blocks without bytes
  if (size === 0n && first === 0n) return { from: 0n, end: 0n }
  return first > last ? undefined : { from: first, end: last + 1n }
}

async function* walked(
  terminal: CID,
  branch: Selecting,
  met: Met,
  { blocks, codecs, limits }: Sources,
  options: BlockOptions
): AsyncGenerator<Block> {
  const walk = new TreeWalk<Selecting>(blocks, options, limits)
  const most = limits?.hollow ?? HOLLOW
  let hollow = 0
  try {
    await walk.hold(terminal)
    if (met.add(terminal)) yield { cid: terminal, bytes: await blocks.get(terminal, options) }
    walk.enter(branch)
    while (!walk.done) {
      const child = walk.take()
      if (child === undefined) {
        await walk.wait()
        continue
      }
      const { cid, loaded: bytes, branch, index } = child
      if (cid === undefined || bytes === undefined) continue
      const isNew = met.add(cid)
      if (branch.isDone(index, cid, isNew)) continue
      hollow = isNew ? 0 : hollow + 1
      if (hollow > most) throw unixfsErrors.E_UNIXFS_HOLLOW(most)
      if (isNew) yield { cid, bytes }
      const next = branch.below(index, decodeBlock(cid, bytes, codecs))
      if (next !== undefined) walk.enter(next)
    }
  } finally {
    walk.close()
  }
}
