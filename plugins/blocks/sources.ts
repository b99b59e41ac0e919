import { cidToString } from '../../core/cid/parse.ts'
import {
  type Block,
  type BlockSource,
  type BlockSources,
  blockErrors,
  type CID,
  type FetchOptions,
  type Lease,
  messageOf,
  type Token,
  token
} from '../../core/index.ts'

/** The reason of a signal whose block is here. One for all: a new one would take as long as the rest of what is done at the end. */
const FOUND = new Error('the block is here')

type Check = (bytes: Uint8Array) => Promise<void>

/** The sources of blocks that are not here: all are asked at once, and the first that has the block wins. */
export class SourceList implements BlockSources {
  readonly #all = new Set<BlockSource>()

  get size(): number {
    return this.#all.size
  }

  add(source: BlockSource): Lease {
    this.#all.add(source)
    return { release: () => void this.#all.delete(source) }
  }

  notify(blocks: readonly Block[]): void {
    for (const source of this.#all) source.notify?.(blocks)
  }

  /**
   * The block from whoever has it first; the others are told that it is here.
   *
   * @param check - holds bytes against the CID, and throws where they are others
   * @param also - sources of this block alone
   * @throws the reason of `signal`; what the source throws, where there is one; E_BLOCK_UNAVAILABLE when all of several have failed
   */
  async get(cid: CID, signal: AbortSignal | undefined, check: Check, also: readonly BlockSource[] = []): Promise<Uint8Array> {
    const [first, ...others] = [...this.#all, ...also]
    if (others.length === 0) return checked(first!, cid, { signal }, check)
    signal?.throwIfAborted()
    const over = new AbortController()
    const leave = () => over.abort(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    const options = { signal: over.signal, session: signal }
    try {
      return await Promise.any([first!, ...others].map(source => checked(source, cid, options, check)))
    } catch (error) {
      signal?.throwIfAborted()
      throw blockErrors.E_BLOCK_UNAVAILABLE(cidToString(cid), (error as AggregateError).errors.map(messageOf).join('; '))
    } finally {
      signal?.removeEventListener('abort', leave)
      over.abort(FOUND)
    }
  }
}

async function checked(source: BlockSource, cid: CID, options: FetchOptions, check: Check): Promise<Uint8Array> {
  const bytes = await source.get(cid, options)
  if (source.verifies !== true) await check(bytes)
  return bytes
}

/** The sources as this plugin makes them. */
export const SourcesOfNode: Token<SourceList> = token<SourceList>('source-list')
