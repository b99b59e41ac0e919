import type { CID } from 'multiformats/cid'
import { type Blocks, type Dag, hasCode } from '../../core/index.ts'
import { Turns } from '../../core/turns.ts'
import { decodeBlock, type LoadedBlock } from '../../core/unixfs/export/node.ts'
import { mfsErrors } from './errors.ts'
import { keyOf } from './tree/nodes.ts'

/** How much of a graph is stored here: its bytes, those of a block as often as it is linked to, and whether that is all. */
interface LocalSize {
  readonly size: bigint
  readonly isWhole: boolean
}

interface Limits {
  readonly blocks: Blocks
  readonly dag: Dag
  /** Different blocks at most. */
  readonly most: number
  readonly signal: AbortSignal
}

interface PendingNode {
  readonly key: string
  readonly links: readonly CID[]
  next: number
  size: bigint
  isWhole: boolean
}

/** Walks a graph, each block once, without asking anybody else. (Kubo 0.28, core/commands/files.go) */
export async function localSize(root: LoadedBlock, { blocks, dag, most, signal }: Limits): Promise<LocalSize> {
  const known = new Map<string, LocalSize>()
  const turns = new Turns(signal)
  const open = [pendingNodeOf(root)]
  for (;;) {
    if (turns.due) await turns.take()
    const node = open.at(-1)!
    const cid = node.links[node.next]
    if (cid === undefined) {
      open.pop()
      const above = open.at(-1)
      if (above === undefined) return node
      known.set(node.key, { size: node.size, isWhole: node.isWhole })
      continue
    }
    const below = known.get(linkKey(cid))
    if (below !== undefined) {
      node.next++
      node.size += below.size
      node.isWhole &&= below.isWhole
      continue
    }
    if (known.size >= most) throw mfsErrors.E_MFS_STAT_BLOCKS(most)
    const loaded = await loadLocal(cid, blocks, dag, signal)
    if (loaded === undefined) known.set(linkKey(cid), { size: 0n, isWhole: false })
    else open.push(pendingNodeOf(loaded))
  }
}

async function loadLocal(cid: CID, blocks: Blocks, dag: Dag, signal: AbortSignal): Promise<LoadedBlock | undefined> {
  try {
    return decodeBlock(cid, await blocks.get(cid, { offline: true, signal }), dag)
  } catch (error) {
    if (hasCode(error, 'E_BLOCK_NOT_FOUND')) return undefined
    throw error
  }
}

function pendingNodeOf({ cid, bytes, node }: LoadedBlock): PendingNode {
  const links = Array.from({ length: node.length }, (_, i) => node.cid(i))
  return { key: linkKey(cid), links, next: 0, size: BigInt(bytes.length), isWhole: true }
}

function linkKey(cid: CID): string {
  return `${cid.code}:${keyOf(cid)}`
}
