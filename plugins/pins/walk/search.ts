import type { CID } from 'multiformats/cid'
import { idOf, type PinRecord } from '../store/record.ts'
import type { PinTable } from '../store/table.ts'
import type { Graph } from './graph.ts'
import { VisitedCids } from './visited.ts'
import { type Children, GraphWalk, type Links } from './walk.ts'

interface Options {
  signal?: AbortSignal
  offline?: boolean
}

/** Everything that recursive roots reach, each CID once; the roots themselves only where another reaches them. */
export async function* reached(table: PinTable, graph: Graph, { signal, offline }: Options): AsyncGenerator<CID> {
  const children = graph.linking({ offline })
  const seen = new VisitedCids()
  for await (const root of table.list('recursive', { signal })) {
    const links = await children(root.cid, { signal })
    if (links.length > 0) yield* new GraphWalk([{ cid: root.cid, links, next: 0 }], children, { signal, seen }).visits()
  }
}

/**
 * Which recursive root reaches which of the wanted CIDs (by {@link idOf}): the first in the order of listing. One walk for all, which ends
 * once all are found; a node counts as soon as a link to it is seen.
 */
export async function findRoots(
  wanted: ReadonlySet<string>,
  table: PinTable,
  graph: Graph,
  { signal, offline }: Options
): Promise<Map<string, PinRecord>> {
  const found = new Map<string, PinRecord>()
  const isOpen = (id: string) => wanted.has(id) && !found.has(id)
  const seen = new VisitedCids()
  const linking = graph.linking({ offline })
  for await (const root of table.list('recursive', { signal })) {
    const notice = (links: Links) => {
      for (const cid of links) {
        const id = idOf(cid)
        if (isOpen(id)) found.set(id, root)
      }
      return links
    }
    const children: Children = (cid, options) => {
      // Nothing below a CID keeps it, so that one whose block is no node is found as well.
      if (found.size === wanted.size - 1 && isOpen(idOf(cid))) return []
      const links = linking(cid, options)
      return links instanceof Promise ? links.then(notice) : notice(links)
    }
    const links = await children(root.cid, { signal })
    if (found.size === wanted.size) break
    if (links.length === 0) continue
    for await (const _ of new GraphWalk([{ cid: root.cid, links, next: 0 }], children, { signal, seen }).visits())
      if (found.size === wanted.size) return found
  }
  return found
}
