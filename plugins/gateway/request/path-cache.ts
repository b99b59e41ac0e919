import { cidToString, decodeCid } from '../../../core/cid/index.ts'
import type { CID } from '../../../core/index.ts'
import type { Place } from './place.ts'

/** Entries of each kind that are kept. */
const MOST = 1024
/** Paths of more characters or segments are not kept: what there is takes 2 MiB at most. */
const LONGEST = 512
const DEEPEST = 8
/** CIDs of more bytes are not kept: those with a block in them have any length. */
const LONGEST_CID = 128

/**
 * The places of paths that were looked up lately, with the CIDs that they begin with. The place of a path under a CID never
 * changes, so an entry is never wrong; the block at its end may be gone, as may any other.
 */
export class PathCache {
  readonly #roots = new Map<string, CID>()
  readonly #places = new Map<string, Place>()
  readonly #texts = new WeakMap<CID, string>()

  /** The CID of a text. @param parse - reads one that is not kept; what it throws is not kept either */
  root(text: string, parse: (text: string) => CID): CID {
    const known = this.#roots.get(text)
    if (known !== undefined) return known
    const cid = parse(text)
    if (text.length > LONGEST || cid.bytes.length > LONGEST_CID) return cid
    keep(this.#roots, text, cid)
    this.#texts.set(cid, cidToString(cid))
    return cid
  }

  /** Where segments lead below a root; undefined where that is not known. */
  place(root: CID, segments: readonly string[]): Place | undefined {
    return this.#places.get(this.#key(root, segments))
  }

  /** Keeps where segments lead below a root. Of blocks on the way nothing is kept. */
  keep(root: CID, segments: readonly string[], { cid, roots, remainder }: Place): void {
    const key = this.#key(root, segments)
    if (key.length > LONGEST || segments.length > DEEPEST || remainder !== '' || roots.at(-1) !== cid) return
    if (roots.some(({ bytes }) => bytes.length > LONGEST_CID)) return
    const copies = roots.map(of => (of === root ? of : decodeCid(new Uint8Array(of.bytes))))
    for (const copy of copies) this.#texts.set(copy, cidToString(copy))
    keep(this.#places, key, { cid: copies.at(-1)!, roots: copies, remainder })
  }

  /** The canonical text of a CID, as it was kept where it is one of these. */
  textOf(cid: CID): string {
    return this.#texts.get(cid) ?? cidToString(cid)
  }

  #key(root: CID, segments: readonly string[]): string {
    return `${this.textOf(root)}/${segments.join('/')}`
  }
}

function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  if (entries.size >= MOST) for (const oldest of entries.keys()) if (entries.delete(oldest)) break
  entries.set(key, value)
}
