import type { CID } from 'multiformats/cid'
import type { CidEncoder } from '../../core/cid/encoder.ts'
import { cidKey } from '../../core/dag/walk/seen-cids.ts'
import { TreeWalk } from '../../core/dag/walk/tree-walk.ts'
import { unixfsErrors } from '../../core/errors/index.ts'
import { type BlockOptions, hasCode } from '../../core/index.ts'
import { type Codecs, decodeBlock, type LoadedBlock, LoadedBranch, type Sources } from '../../core/unixfs/export/node.ts'
import { Batch } from '../../core/unixfs/index.ts'
import { contentErrors } from './errors.ts'

interface RefOptions {
  /** The format, with `<src>`, `<dst>` and `<linkname>` in it; `''` for the CID alone. */
  readonly format: string
  readonly encode: CidEncoder
  readonly unique: boolean
  /** Links to follow from a root; below 0 without limit. */
  readonly maxDepth: number
  /** Most characters of a reference in a format. */
  readonly maxReference: number
}

/** References that are handed over at a time. */
const BATCH = 512

/** A node whose links are listed. */
class Source extends LoadedBranch {
  readonly depth: number
  readonly text: string
  readonly #skip: (cid: CID, depth: number) => boolean

  constructor(loaded: LoadedBlock, codecs: Codecs, at: { depth: number; text: string }, skip: (cid: CID, depth: number) => boolean) {
    super(loaded, codecs, at.text.length)
    this.depth = at.depth
    this.text = at.text
    this.#skip = skip
  }

  load(index: number): CID | undefined {
    const cid = this.node.cid(index)
    return this.#skip(cid, this.depth + 1) ? undefined : cid
  }
}

/**
 * Lists references depth first, links in order. Every object is loaded before it is named. What was listed is remembered between
 * roots: with `unique`, an object that turns up nearer to a root than before is looked into again, without being named again.
 * (Kubo 0.28, core/commands/refs.go)
 */
export class RefWalk {
  readonly #sources: Sources
  readonly #options: RefOptions
  readonly #blockOptions: BlockOptions
  /** The least depth at which an object was looked into. */
  readonly #seen = new Map<string, number>()

  constructor(sources: Sources, options: RefOptions, blockOptions: BlockOptions) {
    this.#sources = sources
    this.#options = options
    this.#blockOptions = blockOptions
  }

  /** @throws E_NODES_MISSING for a child that is not there, what loading the root or reading a block throws; what was listed comes first */
  async *refs(root: CID): AsyncGenerator<readonly string[]> {
    const { maxDepth, unique, encode } = this.#options
    const { blocks, codecs, limits } = this.#sources
    const loaded = decodeBlock(root, await blocks.get(root, this.#blockOptions), codecs)
    const walk = new TreeWalk<Source>(blocks, this.#blockOptions, limits)
    const skip = unique ? (cid: CID, depth: number) => this.#isKnown(cidKey(cid), depth) : () => false
    const batch = new Batch<string>(BATCH)
    try {
      await walk.hold(root)
      if (maxDepth !== 0) walk.enter(new Source(loaded, codecs, { depth: 0, text: encode(root) }, skip))
      while (!walk.done) {
        const child = walk.take()
        if (child === undefined) {
          await walk.wait()
          continue
        }
        const { branch, index, loaded: bytes } = child
        if (bytes === undefined) continue
        const cid = child.cid!
        const depth = branch.depth + 1
        const { isNew, isKnown } = unique ? this.#visit(cidKey(cid), depth) : { isNew: true, isKnown: false }
        if (isKnown) continue
        const below = decodeBlock(cid, bytes, codecs)
        const text = encode(cid)
        if (isNew) {
          const written = this.#write(branch, index, text)
          const full = batch.add(written, written.length)
          if (full !== undefined) yield full
        }
        if (depth !== maxDepth && below.node.length > 0) walk.enter(new Source(below, codecs, { depth, text }, skip))
      }
    } catch (error) {
      yield batch.take()
      throw hasCode(error, 'E_BLOCK_NOT_FOUND') ? unixfsErrors.E_NODES_MISSING() : error
    } finally {
      walk.close()
    }
    yield batch.take()
  }

  #write({ node, text }: Source, index: number, target: string): string {
    const { format, maxReference } = this.#options
    if (format === '' || format === '<dst>') return target
    let reference = format
    for (const [word, find] of [
      ['<src>', () => text],
      ['<dst>', () => target],
      ['<linkname>', () => node.name(index)]
    ] as const) {
      const parts = reference.split(word)
      if (parts.length === 1) continue
      const value = find()
      if (reference.length + parts.length * value.length > maxReference) throw contentErrors.E_REFERENCE_TOO_LONG(maxReference)
      reference = parts.join(value)
    }
    return reference
  }

  #isKnown(key: string, depth: number): boolean {
    const before = this.#seen.get(key)
    return before !== undefined && (this.#options.maxDepth < 0 || before <= depth)
  }

  #visit(key: string, depth: number): { isNew: boolean; isKnown: boolean } {
    if (this.#isKnown(key, depth)) return { isNew: false, isKnown: true }
    const isNew = !this.#seen.has(key)
    this.#seen.set(key, depth)
    return { isNew, isKnown: false }
  }
}
