import type { CID } from 'multiformats/cid'
import { cleanPath } from '../../core/go/path.ts'
import type { BlockOptions, Link } from '../../core/index.ts'
import { objectErrors } from './errors.ts'
import { type LinkedBlock, loadBlock, type NodeSources } from './nodes.ts'

export const ADDED = 0
export const REMOVED = 1
const CHANGED = 2

/** A place where two graphs differ. */
export interface Difference {
  readonly type: typeof ADDED | typeof REMOVED | typeof CHANGED
  readonly path: string
  readonly before?: CID
  readonly after?: CID
}

/** Finds where two graphs differ (boxo 0.19, ipld/merkledag/dagutils/diff.go). */
export class Comparison {
  readonly #sources: Pick<NodeSources, 'blocks' | 'dag'>
  readonly #options: BlockOptions
  readonly #most: number
  #compared = 0

  /** @param most - pairs of nodes, and links in them */
  constructor(sources: Pick<NodeSources, 'blocks' | 'dag'>, options: BlockOptions, most: number) {
    this.#sources = sources
    this.#options = options
    this.#most = most
  }

  /** Differences below `a` and `b`, their paths relative to them. @throws E_OBJECT_DIFFERENCES, and what loading a block does */
  async of(a: CID, b: CID): Promise<Difference[]> {
    const [before, after] = [await this.#load(a), await this.#load(b)]
    if (a.equals(b)) return []
    const areNodes = before.isProto && after.isProto
    if (!areNodes || before.links.length + after.links.length === 0) return [{ type: CHANGED, path: '', before: a, after: b }]
    return this.#ofLinks(before.links, after.links)
  }

  async #ofLinks(before: readonly Link[], after: readonly Link[]): Promise<Difference[]> {
    const first = new Map<string, Link>()
    for (const link of after) if (!first.has(link.name)) first.set(link.name, link)
    const found: Difference[] = []
    const shared = new Set<string>()
    for (const { name, cid } of before) {
      const other = first.get(name)
      if (other === undefined) continue
      shared.add(name)
      if (cid.equals(other.cid)) continue
      for (const inner of await this.of(cid, other.cid)) found.push({ ...inner, path: joined(name, inner.path) })
    }
    for (const { name, cid } of before) if (!shared.has(name)) found.push({ type: REMOVED, path: name, before: cid })
    for (const { name, cid } of after) if (!shared.has(name)) found.push({ type: ADDED, path: name, after: cid })
    return found
  }

  async #load(cid: CID): Promise<LinkedBlock> {
    const block = await loadBlock(cid, this.#sources, this.#options)
    this.#compared += 1 + block.links.length
    if (this.#compared > 2 * this.#most) throw objectErrors.E_OBJECT_DIFFERENCES(this.#most)
    return block
  }
}

/** Go's `path.Join` of a name and a path. */
function joined(name: string, path: string): string {
  const parts = [name, path].filter(part => part !== '')
  return parts.length === 0 ? '' : cleanPath(parts.join('/'))
}
