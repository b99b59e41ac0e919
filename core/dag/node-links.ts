import type { CID } from 'multiformats/cid'
import type { Link } from '../services/content/dag.ts'

/** A count of bytes on the wire: a number while it is exact as one, a bigint above. */
export type Size = number | bigint

/** A size as it is kept: 64 bits without a sign, a number where that is exact. */
export function sizeOf(value: bigint): Size {
  const size = BigInt.asUintN(64, value)
  return size <= MOST ? Number(size) : size
}

/** The sum of two sizes in 64 bits, as Go adds them. The second may be negative. */
export function addSizes(one: Size, other: Size): Size {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other
    if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) return sum
  }
  return sizeOf(BigInt(one) + BigInt(other))
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER)

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
