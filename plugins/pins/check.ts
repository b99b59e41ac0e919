import type { CID } from 'multiformats/cid'
import { SeenCids } from '../../core/dag/walk/seen-cids.ts'
import { messageOf, type Pins } from '../../core/index.ts'
import type { Graph } from './walk/graph.ts'
import { type Children, type CidSet, GraphWalk } from './walk/walk.ts'

interface BadNode {
  readonly cid: CID
  /** Why it cannot be used. */
  readonly reason: string
}

interface PinStatus {
  readonly cid: CID
  /** Nodes that are missing or broken, each once. What lies below them is unknown. */
  readonly bad: readonly BadNode[]
}

interface Options {
  signal?: AbortSignal
}

/** Whether the graphs of recursive pins are whole, by what is stored here alone, each block held against its hash; in the order of listing. */
export async function* checkPins(pins: Pins, graph: Graph, { signal }: Options): AsyncGenerator<PinStatus> {
  const stored = graph.checking()
  /** Nodes below which all is well. */
  const good = new SeenCids()
  for await (const { cid } of pins.list({ mode: 'recursive', signal })) yield { cid, bad: await check(cid, stored, good, signal) }
}

async function check(root: CID, stored: Children, good: SeenCids, signal: AbortSignal | undefined): Promise<BadNode[]> {
  const bad = new Map<string, BadNode>()
  const children: Children = async (cid, options) => {
    try {
      return await stored(cid, options)
    } catch (error) {
      options.signal?.throwIfAborted()
      bad.set(cid.toString(), { cid, reason: messageOf(error) })
      return []
    }
  }
  const mine = new SeenCids()
  const seen: CidSet = { has: cid => good.has(cid) || mine.has(cid), add: cid => mine.add(cid) }
  for await (const _ of new GraphWalk([{ cid: root, links: [root], next: 0 }], children, { signal, seen }).visits());
  if (bad.size === 0) good.addAll(mine)
  return [...bad.values()]
}
