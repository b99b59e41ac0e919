import type { CID } from 'multiformats/cid'
import { SeenCids } from '../../../core/dag/walk/seen-cids.ts'
import { prefixed } from '../../../core/index.ts'
import { type Children, GraphWalk } from './walk.ts'

/** `after` has taken the place of `before`, or of nothing. */
interface Pair {
  readonly before: CID | undefined
  readonly after: CID
}

/**
 * Brings into the store what the graph of `to` has and that of `from`, which is here, has not: links that only `to` has are laid beside
 * those that only `from` has, in order, and each pair is compared in turn (boxo 0.19, dagutils.DiffEnumerate).
 *
 * @throws what fetching throws; for one of a pair `get <CID>: ` stands before it
 */
export async function fetchDifference(from: CID, to: CID, children: Children, signal: AbortSignal | undefined): Promise<void> {
  const pairs: Array<Required<Pair> & { before: CID }> = [{ before: from, after: to }]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const { before, after } = pair
    const different = pairsOf(await links(before, children, signal), await links(after, children, signal))
    const seen = new SeenCids()
    for (const { before } of different) if (before !== undefined) seen.add(before)
    const next: typeof pairs = []
    for (const { before, after } of different) {
      if (before !== undefined) next.push({ before, after })
      else for await (const _ of new GraphWalk([{ cid: to, links: [after], next: 0 }], children, { signal, seen }).visits());
    }
    for (const pair of next.reverse()) pairs.push(pair)
  }
}

function pairsOf(before: readonly CID[], after: readonly CID[]): Pair[] {
  const [inBefore, inAfter] = [new SeenCids(), new SeenCids()]
  for (const cid of before) inBefore.add(cid)
  for (const cid of after) inAfter.add(cid)
  const gone = before.filter(cid => !inAfter.has(cid))
  return after.filter(cid => !inBefore.has(cid)).map((cid, i) => ({ before: gone[i], after: cid }))
}

async function links(cid: CID, children: Children, signal: AbortSignal | undefined): Promise<readonly CID[]> {
  try {
    return [...(await children(cid, { signal }))]
  } catch (error) {
    signal?.throwIfAborted()
    throw prefixed(`get ${cid}: `, error)
  }
}
