import type { CID } from 'multiformats/cid'
import { DAG_PB, IDENTITY, RAW, SHA2_256 } from '../../../core/cid/codes.ts'
import { checkCidSecurity } from '../../../core/cid/hashes.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { sumCid } from '../../../core/cid/sum.ts'
import { addSizes, type Size } from '../../../core/dag/node-links.ts'
import { type PbLinkBytes, writePb } from '../../../core/dag/pb-write.ts'
import { byteString } from '../../../core/go/utf8.ts'
import { type Block, type BlockOptions, type Blocks, type Dag, hasCode, type NodeNaming } from '../../../core/index.ts'
import { decodeBlock, type LoadedBlock } from '../../../core/unixfs/export/node.ts'
import { MOST_INLINE } from '../../../core/unixfs/import/builder.ts'
import { mfsErrors } from '../errors.ts'

/** A link of a directory's node. */
export type EntryLink = PbLinkBytes & { readonly size: Size }

/** A node that was made: what a link to it needs. */
export interface Made {
  readonly cid: CID
  /** The block and all below it, in bytes: what a link calls Tsize. */
  readonly size: Size
}

/** Bytes that go to the store in one write. */
const BATCH = 1 << 20

/** Blocks of the tree: those that are stored, and those of directories that were made and wait to be stored. */
export class Nodes {
  readonly #blocks: Blocks
  readonly #dag: Dag
  /** Entries of directories in memory, as far as they were counted. */
  held = 0
  /** Counts pieces of work on the tree: what was asked for longest ago is told by it. */
  moment = 0
  /** Blocks that wait to be stored, by the bytes of their multihashes, one character a byte. */
  readonly #waiting = new Map<string, Block>()

  /** How long others are asked for a block that is not stored here, in milliseconds. */
  readonly search: number

  constructor(blocks: Blocks, dag: Dag, search = 30_000) {
    this.#blocks = blocks
    this.#dag = dag
    this.search = search
  }

  /**
   * The CID of a block; raw ones have version 1.
   *
   * @throws E_HASH_INSECURE and its kin, E_CID_INVALID
   */
  name(naming: NodeNaming, codec: number, bytes: Uint8Array): CID {
    const version = codec === RAW ? 1 : naming.version
    const cid = sumCid({ ...naming, version, codec }, bytes, this.#dag.hasher(naming.hash))
    checkCidSecurity(cid)
    return cid
  }

  /** Makes a dag-pb node, which is readable from now on, and stored by {@link store}. */
  make(naming: NodeNaming, links: readonly EntryLink[], data: Uint8Array): Made {
    const bytes = writePb(links, data)
    return this.take(
      naming,
      bytes,
      links.reduce<Size>((sum, { size }) => addSizes(sum, size), 0)
    )
  }

  /** The same of a block that is made already. @param below - sum of its links' Tsizes */
  take(naming: NodeNaming, bytes: Uint8Array, below: Size): Made {
    // A directory grows: one that no CID can hold any more has to have a digest.
    const named = naming.hash === IDENTITY && bytes.length > MOST_INLINE ? { version: 1 as const, hash: SHA2_256 } : naming
    const cid = this.name(named, DAG_PB, bytes)
    this.#waiting.set(keyOf(cid), { cid, bytes })
    return { cid, size: addSizes(bytes.length, below) }
  }

  /** Whether some that were made are not stored. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** @throws E_BLOCK_NOT_FOUND */
  async get(cid: CID, options?: BlockOptions): Promise<Uint8Array> {
    return this.#waiting.get(keyOf(cid))?.bytes ?? (await this.#blocks.get(cid, options))
  }

  /** @throws E_BLOCK_NOT_FOUND, and what the codec does */
  async load(cid: CID, options?: BlockOptions): Promise<LoadedBlock> {
    return decodeBlock(cid, await this.get(cid, options), this.#dag)
  }

  /** A node of the tree, which others are asked for no longer than the settings say. @throws E_MFS_NOT_FOUND, and what {@link load} does */
  async find(cid: CID, options: BlockOptions = {}): Promise<LoadedBlock> {
    try {
      return await this.load(cid, { ...options, offline: true })
    } catch (error) {
      if (options.offline || !hasCode(error, 'E_BLOCK_NOT_FOUND')) throw error
    }
    const { signal } = options
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.search)
    try {
      return await this.load(cid, { ...options, signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]) })
    } catch (error) {
      signal?.throwIfAborted()
      throw late.signal.aborted ? this.notFound(`the block ${cidToString(cid)}`) : error
    } finally {
      clearTimeout(timer)
    }
  }

  notFound(what: string): Error {
    return mfsErrors.E_MFS_NOT_FOUND(what, this.search)
  }

  /** Resolves when all that was made is stored. What could not be stored waits on. */
  async store({ signal }: BlockOptions = {}): Promise<void> {
    let batch: Block[] = []
    let size = 0
    for (const block of [...this.#waiting.values()]) {
      batch.push(block)
      size += block.bytes.length
      if (size < BATCH) continue
      await this.#put(batch, signal)
      batch = []
      size = 0
    }
    if (batch.length > 0) await this.#put(batch, signal)
  }

  async #put(batch: readonly Block[], signal: AbortSignal | undefined): Promise<void> {
    await this.#blocks.putAll(batch, { signal })
    for (const block of batch) {
      const key = keyOf(block.cid)
      if (this.#waiting.get(key) === block) this.#waiting.delete(key)
    }
  }
}

/** A CID's multihash as a string, one character a byte. */
export function keyOf({ multihash }: CID): string {
  return byteString(multihash.bytes)
}
