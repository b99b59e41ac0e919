import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../cid/codes.ts'
import type { Branch } from '../../dag/walk/branch.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import { decodeUtf8 } from '../../go/utf8.ts'
import type { DescribedLink } from '../../services/content/unixfs.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { UnixFsType } from '../types.ts'
import { Batch } from './batch.ts'
import { decodeUnixFs, type UnixFsData } from './data.ts'
import { type DirectoryLink, entriesOf, listDirectory } from './directory.ts'
import { readShard } from './hamt.ts'
import { decodeBlock, type Sources } from './node.ts'

/** Links that are handed over at a time, once their children are known, with their targets as the texts. */
const BATCH = 256

/** Entries whose children are looked at; only dag-pb blocks have something to say. */
class Children implements Branch {
  readonly length: number
  readonly held = 0
  readonly entries: readonly DirectoryLink[]

  constructor(entries: readonly DirectoryLink[]) {
    this.entries = entries
    this.length = entries.length
  }

  load(index: number): CID | undefined {
    const { cid } = this.entries[index]!
    return cid.code === DAG_PB ? cid : undefined
  }
}

/**
 * The entries of a directory, or the links of any other node, with what they lead to. A child is loaded only with `resolve`, several
 * ahead. (Kubo 0.28, core/coreapi/unixfs)
 *
 * @throws E_PROTOBUF for a dag-pb node or child without UnixFS data, E_NODES_MISSING for a missing shard, what loading a child throws;
 * what was known before is handed over first
 */
export async function* describeLinks(
  cid: CID,
  sources: Sources,
  { resolve = false, ...options }: BlockOptions & { resolve?: boolean } = {}
): AsyncGenerator<readonly DescribedLink[]> {
  for await (const entries of linksOf(cid, sources, options)) {
    if (resolve) yield* describe(cid, entries, sources, options)
    else yield entries.map(undescribed)
  }
}

async function* linksOf(cid: CID, sources: Sources, options: BlockOptions): AsyncGenerator<readonly DirectoryLink[]> {
  const root = decodeBlock(cid, await sources.blocks.get(cid, options), sources.codecs)
  const unixfs = root.kind === 'dag-pb' ? decodeUnixFs(root.node.data) : undefined
  if (unixfs?.type !== UnixFsType.HAMTShard) yield* entriesOf(root.node)
  else yield* listDirectory({ root, shard: readShard(unixfs, root.node, cid) }, sources, options)
}

async function* describe(
  root: CID,
  entries: readonly DirectoryLink[],
  { blocks, codecs, limits }: Sources,
  options: BlockOptions
): AsyncGenerator<readonly DescribedLink[]> {
  const walk = new TreeWalk<Children>(blocks, options, limits)
  const batch = new Batch<DescribedLink>(BATCH)
  try {
    await walk.hold(root)
    walk.enter(new Children(entries))
    while (!walk.done) {
      const child = walk.take()
      if (child === undefined) {
        await walk.wait()
        continue
      }
      const entry = entries[child.index]!
      const data = child.loaded && decodeUnixFs(decodeBlock(entry.cid, child.loaded, codecs).node.data)
      const link = data === undefined ? undescribed(entry) : describedAs(entry, data)
      const full = batch.add(link, link.target.length)
      if (full !== undefined) yield full
    }
  } catch (error) {
    yield batch.take()
    throw error
  } finally {
    walk.close()
  }
  yield batch.take()
}

function undescribed({ name, cid, size }: DirectoryLink): DescribedLink {
  return cid.code === RAW ? { name, cid, type: 'file', size, target: '' } : { name, cid, type: 'unknown', size: 0, target: '' }
}

function describedAs({ name, cid }: DirectoryLink, { type, size, data, mode, mtime }: UnixFsData): DescribedLink {
  const described = { name, cid, mode, mtime }
  switch (type) {
    case UnixFsType.File:
    case UnixFsType.Raw:
      return { ...described, type: 'file', size, target: '' }
    case UnixFsType.Directory:
    case UnixFsType.HAMTShard:
    case UnixFsType.Metadata:
      return { ...described, type: 'directory', size: 0, target: '' }
    case UnixFsType.Symlink:
      return { ...described, type: 'symlink', size: data?.length ?? 0, target: data === undefined ? '' : decodeUtf8(data) }
  }
  return { ...described, type: 'unknown', size, target: '' }
}
