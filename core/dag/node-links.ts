import type { CID } from 'multiformats/cid'
import type { Link } from '../services/dag.ts'

/** A count of bytes on the wire: a number while it is exact as one, a bigint above. */
export type Size = number | bigint

/** The links and the data of a block, each link read where it is asked for. */
export interface NodeLinks {
  readonly length: number
  cid(index: number): CID
  /** `''` where the link has none. Bytes that are no UTF-8 as in `core/go/utf8.ts`. */
  name(index: number): string
  /** Tsize; 0 where the link has none. */
  size(index: number): Size
  /** The first link of this name; -1 when there is none. */
  find(name: string): number
  /** Only dag-pb nodes have it. */
  readonly data: Uint8Array | undefined
  /** Memory that it takes beside its block, in bytes. */
  readonly held: number
}

/** About what a link takes as an object, in bytes. */
const LINK_OBJECT = 512

class ListNode implements NodeLinks {
  readonly #links: readonly Link[]
  readonly data = undefined

  constructor(links: readonly Link[]) {
    this.#links = links
  }

  get length(): number {
    return this.#links.length
  }

  get held(): number {
    return this.#links.length * LINK_OBJECT
  }

  cid(index: number): CID {
    return this.#links[index]!.cid
  }

  name(index: number): string {
    return this.#links[index]!.name
  }

  size(index: number): Size {
    return this.#links[index]!.size ?? 0
  }

  find(name: string): number {
    return this.#links.findIndex(link => link.name === name)
  }
}

/** Links that a codec has read. */
export function nodeOfLinks(links: Iterable<Link>): NodeLinks {
  return new ListNode([...links])
}
