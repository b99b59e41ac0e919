import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CID } from 'multiformats/cid'
import { IDENTITY, RAW } from '../../../core/cid/codes.ts'
import { type Blocks, type Dag, messageOf, type Root } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'
import { CidList } from '../walk/cid-list.ts'
import { eachLinked } from '../walk/linked.ts'
import { Marks } from './marks.ts'

/** Blocks that are looked up together. */
const AT_ONCE = 64
/** Milliseconds of work after which others get their turn. */
const TURN = 2

interface Options {
  signal?: AbortSignal | undefined
}

/**
 * Marks what roots reach: every block once under each codec that it is linked under, and leaves without reading them. Of graphs that have to be
 * whole it says what is missing; of the others it keeps in mind what was not here, in case it arrives.
 */
export class Marking {
  readonly #marks = new Marks()
  readonly #blocks: Blocks
  readonly #dag: Dag
  readonly #options: Options
  /** CIDs that are marked and still to be read, of whole graphs and of loose ones. */
  readonly #whole = new CidList()
  readonly #loose = new CidList()
  /** Nodes of loose graphs that were not here, by the text of their CIDs. */
  readonly #absent = new Map<string, CID>()
  #busySince = performance.now()
  #isPartial: ((cid: CID) => boolean) | undefined
  #read = 0

  constructor(blocks: Blocks, dag: Dag, options: Options) {
    this.#blocks = blocks
    this.#dag = dag
    this.#options = options
  }

  /** Marks a root; what it reaches is marked by {@link whole} and {@link loose}. */
  add({ cid, recursive, bestEffort = false, isPartial }: Root): void {
    this.#isPartial = isPartial
    // As if it had no links: a graph that reaches it has still to be followed through it.
    if (!recursive) this.#marks.add(cid.multihash.bytes, RAW)
    else this.#push(cid, bestEffort ? this.#loose : this.#whole)
  }

  has(multihash: Uint8Array): boolean {
    return this.#marks.has(multihash)
  }

  /** How many blocks are marked. */
  get size(): number {
    return this.#marks.size
  }

  /** How many blocks wait to be read. */
  get waiting(): number {
    return this.#whole.length
  }

  /** How many blocks were read, or asked for. */
  get read(): number {
    return this.#read
  }

  /** Marks what whole graphs reach. @returns what of them cannot be read */
  async *whole(most = Number.POSITIVE_INFINITY): AsyncGenerator<{ cid: CID; error: Error }> {
    while (this.#whole.length > 0 && this.#read < most) {
      for (const { cid, error } of await this.#step(this.#whole))
        yield { cid, error: pinErrors.E_NO_LINKS(cid.toString(), messageOf(error)) }
    }
  }

  /** Marks as much as there is of loose graphs. Call when those that have to be whole are done. */
  async loose(): Promise<void> {
    while (this.#loose.length > 0) for (const { cid } of await this.#step(this.#loose)) this.#absent.set(cid.toString(), cid)
  }

  /** Looks again at what was not here, where `hasArrived` says that it may be now. */
  async again(hasArrived: (cid: CID) => boolean): Promise<void> {
    for (const [name, cid] of this.#absent) {
      if (!hasArrived(cid)) continue
      this.#absent.delete(name)
      this.#loose.push(cid)
    }
    await this.loose()
  }

  #push(cid: CID, stack: CidList): void {
    const isNew = cid.multihash.code === IDENTITY || this.#marks.add(cid.multihash.bytes, cid.code)
    if (isNew && cid.code !== RAW) (stack === this.#whole && this.#isPartial?.(cid) ? this.#loose : stack).push(cid)
  }

  /** Reads some of the blocks on the stack and puts what they link to there. @returns which of them could not be read */
  async #step(stack: CidList): Promise<Array<{ cid: CID; error: unknown }>> {
    const { signal } = this.#options
    const cids = stack.takeLast(AT_ONCE)
    this.#read += cids.length
    // A node that is damaged may lack a link, or have another, and what it should link to would be removed.
    const found = (await this.#blocks.readAll?.(cids, { signal, checked: true })) ?? []
    // What a read among several could not do is for one alone to say.
    const reads = found.map(read => (read instanceof Promise ? read.catch(() => undefined) : read))
    const failed: Array<{ cid: CID; error: unknown }> = []
    for (const [i, cid] of cids.entries()) {
      if (performance.now() - this.#busySince > TURN) {
        await nextTurn()
        this.#busySince = performance.now()
      }
      signal?.throwIfAborted()
      try {
        const bytes = (await reads[i]) ?? (await this.#blocks.get(cid, { signal, offline: true, checked: true }))
        eachLinked(this.#dag, cid, bytes, linked => this.#push(linked, stack))
      } catch (error) {
        signal?.throwIfAborted()
        failed.push({ cid, error })
      }
    }
    return failed
  }
}
