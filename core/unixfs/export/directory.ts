import type { CID } from 'multiformats/cid'
import type { NodeLinks, Size } from '../../dag/node-links.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { hashOfName } from '../hash-of-name.ts'
import { Batch } from './batch.ts'
import { missing } from './file.ts'
import { checkLabel, isShardLink, linkInSlot, slotAt } from './hamt.ts'
import { type Codecs, type DirectoryNode, decodeBlock, type LoadedBlock, LoadedBranch, type Sources } from './node.ts'
import { loadShardBelow, PlacedShard } from './trie.ts'

/** An entry of a directory as its link says. */
export interface DirectoryLink {
  readonly name: string
  readonly cid: CID
  /** Tsize of the link. */
  readonly size: Size
}

/** Entries that are handed over at a time, with their names as the texts. */
const BATCH = 1024

/** A shard whose deeper shards are visited; its own entries need no block. */
class ShardBranch extends LoadedBranch {
  readonly shard: PlacedShard

  constructor(loaded: LoadedBlock, codecs: Codecs, shard: PlacedShard) {
    super(loaded, codecs, shard.held)
    this.shard = shard
  }

  load(index: number): CID | undefined {
    return this.shard.leadsDeeper(index, this.node.name(index)) ? this.node.cid(index) : undefined
  }

  entry(index: number): DirectoryLink {
    const { node } = this
    return { name: this.shard.entry(index, node.name(index)), cid: node.cid(index), size: node.size(index) }
  }
}

/** The links of a node as entries in batches, in the block's order. */
export function* entriesOf(node: NodeLinks, most = BATCH): Generator<readonly DirectoryLink[]> {
  const batch = new Batch<DirectoryLink>(most)
  for (let i = 0; i < node.length; i++) {
    const name = node.name(i)
    const full = batch.add({ name, cid: node.cid(i), size: node.size(i) }, name.length)
    if (full !== undefined) yield full
  }
  yield batch.take()
}

/**
 * The entries of a directory in batches, in stored order; those of a sharded one in the order of the trie, shards loading ahead.
 *
 * @param batchSize - entries of a batch: as many as are held for a reader that stops
 * @throws E_NODES_MISSING for a shard that is not there, E_HAMT_* for a broken one
 */
export function listDirectory(
  { root, shard }: Pick<DirectoryNode, 'root' | 'shard'>,
  sources: Sources,
  options?: BlockOptions,
  batchSize = BATCH
): AsyncGenerator<readonly DirectoryLink[]> {
  if (shard === undefined) return entriesOfBlock(root.node, batchSize)
  return entriesBelow(
    new ShardBranch(root, sources.codecs, new PlacedShard(shard, root.cid)),
    sources,
    options,
    new Batch<DirectoryLink>(batchSize)
  )
}

async function* entriesOfBlock(node: NodeLinks, batchSize: number): AsyncGenerator<readonly DirectoryLink[]> {
  yield* entriesOf(node, batchSize)
}

/** The entries of a shard and those below it. What runs for as long as somebody reads has no block of its own. */
async function* entriesBelow(
  root: ShardBranch,
  { blocks, codecs, limits }: Sources,
  options: BlockOptions | undefined,
  batch: Batch<DirectoryLink>
): AsyncGenerator<readonly DirectoryLink[]> {
  const walk = new TreeWalk<ShardBranch>(blocks, options, limits)
  /** Goes on to the next full batch, as far as shards are at hand. */
  const more = (): readonly DirectoryLink[] | undefined => {
    for (let child = walk.take(); child !== undefined; child = walk.take()) {
      if (child.loaded === undefined) {
        const entry = child.branch.entry(child.index)
        const full = batch.add(entry, entry.name.length)
        if (full !== undefined) return full
        continue
      }
      const loaded = decodeBlock(child.cid!, child.loaded, codecs)
      walk.enter(new ShardBranch(loaded, codecs, child.branch.shard.below(child.index, loaded)))
    }
    return undefined
  }
  try {
    await walk.hold(root.block)
    walk.enter(root)
    while (!walk.done) {
      const full = more()
      if (full !== undefined) yield full
      else if (!walk.done) await walk.wait()
    }
  } catch (error) {
    yield batch.take()
    throw missing(error)
  } finally {
    walk.close()
  }
  yield batch.take()
}

/**
 * The entry of a name, reading only the shards on its way.
 *
 * @returns undefined when there is none of this name
 * @throws E_HAMT_* for a broken shard, and what loading a shard throws
 */
export async function findEntry(
  { root, shard }: Pick<DirectoryNode, 'root' | 'shard'>,
  name: string,
  { blocks, codecs }: Sources,
  options?: BlockOptions
): Promise<CID | undefined> {
  if (shard === undefined) return findLink(root.node, name)
  const hash = hashOfName(name)
  let at = { cid: root.cid, node: root.node, shard }
  // Each takes as many bits of the hash as it is wide: those of one trie need not agree.
  for (let from = 0; ; ) {
    const slot = slotAt(at.shard, hash, from)
    const index = slot === undefined ? undefined : linkInSlot(at.shard, slot, at.node)
    if (index === undefined) return undefined
    const label = at.node.name(index)
    const cid = at.node.cid(index)
    checkLabel(at.shard, slot!, label, at.cid)
    if (!isShardLink(at.shard, label)) return label.slice(at.shard.padding) === name ? cid : undefined
    const loaded = decodeBlock(cid, blocks.atHand?.(cid, options) ?? (await blocks.get(cid, options)), codecs)
    from += at.shard.bits
    at = { cid, node: loaded.node, shard: loadShardBelow(loaded) }
  }
}

/** The first link of this name. */
export function findLink(node: NodeLinks, name: string): CID | undefined {
  const index = node.find(name)
  return index < 0 ? undefined : node.cid(index)
}
