import { DAG_PB, RAW } from '../../core/cid/codes.ts'
import { decodeMultihash } from '../../core/cid/index.ts'
import { openPb, SeenCids } from '../../core/dag/index.ts'
import { type Blocks, type Blockstore, CID, type Dag, fastBlocks, hasCode, type Mfs, type Pins } from '../../core/index.ts'
import type { ProvideStrategy } from '../../core/network/index.ts'
import { decodeUnixFs, UnixFsType } from '../../core/unixfs/index.ts'

export interface StrategyParts {
  readonly blockstore: Blockstore
  readonly pins: Pins | undefined
  readonly tree: ProvidedTree | undefined
}

/** The mutable tree and what is stored of graphs; undefined where there is none. */
export interface ProvidedTree {
  /** All of the tree, as far as it is stored here. */
  all(signal: AbortSignal): AsyncIterable<CID>
  root(signal: AbortSignal): Promise<CID>
  has(cid: CID, signal: AbortSignal): Promise<boolean>
  /** A block and its links; undefined where it is not stored here. */
  node(cid: CID, signal: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly links: readonly CID[] } | undefined>
}

/**
 * The content that is provided again (Kubo 0.28, core/node/provider.go; 0.42, docs/config.md): all blocks, the roots of pins first for `all`; what pins
 * keep, what was pinned itself, the mutable tree, or several of these. What several of them have comes as often. At flat memory but for `entities`.
 */
export async function* toProvide(strategy: ProvideStrategy, parts: StrategyParts, signal: AbortSignal): AsyncGenerator<CID> {
  const { blockstore, pins, tree } = parts
  if (strategy.all) {
    if (strategy.rootsFirst) yield* roots(pins, signal)
    for await (const multihash of fastBlocks(blockstore).listMultihashes({ signal })) yield CID.createV1(RAW, decodeMultihash(multihash))
    return
  }
  if (strategy.entities) {
    yield* entities(strategy, parts, signal)
    return
  }
  if (strategy.pinned || strategy.roots) yield* roots(pins, signal)
  if (strategy.pinned && pins !== undefined) yield* pins.indirect({ signal, offline: true })
  if (strategy.mfs && tree !== undefined) yield* tree.all(signal)
}

async function* roots(pins: Pins | undefined, signal: AbortSignal): AsyncGenerator<CID> {
  if (pins === undefined) return
  for await (const { cid } of pins.list({ signal })) yield cid
}

/** What people name: folders, roots of files, and all of other graphs, each once. */
async function* entities(strategy: ProvideStrategy, { pins, tree }: StrategyParts, signal: AbortSignal): AsyncGenerator<CID> {
  const seen = new SeenCids()
  if (strategy.pinned && pins !== undefined) {
    for await (const { cid, mode } of pins.list({ signal })) {
      if (mode === 'recursive' && tree !== undefined) yield* entitiesBelow(cid, tree, seen, signal)
      else if (seen.add(cid)) yield cid
    }
  }
  if (strategy.mfs && tree !== undefined) yield* entitiesBelow(await tree.root(signal), tree, seen, signal)
}

async function* entitiesBelow(root: CID, { node, has }: ProvidedTree, seen: SeenCids, signal: AbortSignal): AsyncGenerator<CID> {
  const open: Array<Iterator<CID>> = [[root].values()]
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { done, value: cid } = last.next()
    if (done === true) {
      open.pop()
      continue
    }
    if (!seen.add(cid)) continue
    // others are not told of what is not here
    if (cid.code === RAW) {
      if (await has(cid, signal)) yield cid
      continue
    }
    const found = await node(cid, signal)
    if (found === undefined) continue
    yield cid
    if (!isFile(cid, found.bytes)) open.push(found.links.values())
  }
}

/** Whether it is a file or a symbolic link of UnixFS, whose links are its chunks. */
function isFile({ code }: CID, bytes: Uint8Array): boolean {
  if (code !== DAG_PB) return false
  try {
    const { type } = decodeUnixFs(openPb(bytes).data)
    return type === UnixFsType.File || type === UnixFsType.Raw || type === UnixFsType.Symlink
  } catch {
    return false
  }
}

const isMissing = (error: unknown): boolean => hasCode(error, 'E_BLOCK_NOT_FOUND')

/** The mutable tree, and blocks that are stored here. */
export function treeOf(mfs: Mfs, dag: Dag, blocks: Blocks): ProvidedTree {
  const root = async (signal: AbortSignal) => (await mfs.stat('/', { signal })).cid
  return {
    root,
    async *all(signal) {
      for await (const { cid } of dag.walk(await root(signal), { signal, offline: true, skips: isMissing })) yield cid
    },
    has: (cid, signal) => blocks.has(cid, { signal }),
    async node(cid, signal) {
      try {
        const bytes = await blocks.get(cid, { signal, offline: true })
        return { bytes, links: dag.links(cid, bytes).map(link => link.cid) }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    }
  }
}
