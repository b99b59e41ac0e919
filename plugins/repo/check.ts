import { digestInTurns, hashFunction } from '../../core/cid/hashers.ts'
import { decodeMultihash } from '../../core/cid/multihash.ts'
import { rawCidToString } from '../../core/cid/parse.ts'
import { blockErrors, type FastBlocks, type ListedBlock, messageOf } from '../../core/index.ts'
import { repoErrors } from './errors.ts'

/** Blocks read ahead of the one that is reported. */
const MOST_READS = 16
/** Bytes held of those; a block larger than that is read alone. */
const MOST_BYTES = 8 << 20
/** Bytes hashed at a stretch, after which others get a turn. */
const TURN_BYTES = 2 << 20
/** Taken for the size of a block where the store does not tell it. */
const USUAL_SIZE = 256 << 10

/** A block that is being looked at. */
interface Check {
  readonly size: number
  /** Never fails. */
  readonly fault: Promise<Fault>
}

/** A block that is not what it should be. */
interface DamagedBlock {
  /** Empty where not even that can be read. */
  readonly multihash: Uint8Array
  /** A line about what is wrong with it. */
  readonly says: string
}

/** The fault of a block; undefined: none. `gone`: it was removed before it could be looked at. */
type Fault = DamagedBlock | undefined | typeof GONE
const GONE = Symbol('gone')

/**
 * Hashes every block of a store again, in the store's order. Memory is bounded, whatever there is.
 *
 * @returns for each block what is wrong with it, or undefined when it is as it should be
 */
export async function* checkBlocks(store: FastBlocks, signal: AbortSignal): AsyncGenerator<DamagedBlock | undefined> {
  const reads: Check[] = []
  let held = 0
  let hashed = 0
  const turn = async (size: number) => {
    hashed += size
    if (hashed < TURN_BYTES) return
    hashed = 0
    await new Promise(resolve => setImmediate(resolve))
  }
  async function* first(): AsyncGenerator<DamagedBlock | undefined> {
    const { size, fault } = reads.shift() as Check
    const found = await fault
    signal.throwIfAborted()
    held -= size
    if (found !== GONE) yield found
    await turn(size)
  }
  for await (const listed of listing(store, signal)) {
    const { multihash, size, bytes } = listed
    signal.throwIfAborted()
    if (bytes instanceof Uint8Array && (await faultOf(multihash, bytes, signal)) === undefined) {
      yield undefined
      await turn(size)
      continue
    }
    while (reads.length > 0 && (reads.length === MOST_READS || held + size > MOST_BYTES)) yield* first()
    held += size
    reads.push({ size, fault: examine(store, listed, signal) })
  }
  while (reads.length > 0) yield* first()
}

/** The facts about the blocks; where the store tells no sizes, each counts as large as a file's chunk. */
async function* listing(store: FastBlocks, signal: AbortSignal): AsyncGenerator<ListedBlock> {
  if (store.listBlocks !== undefined) yield* store.listBlocks({ signal })
  else {
    for await (const multihash of store.listMultihashes({ signal })) {
      yield { multihash, size: USUAL_SIZE, bytes: () => store.getBytes(multihash, { signal }) }
    }
  }
}

/** The present state of blocks that the walk met: they may have been removed or mended since, so the store is asked before anything is said of one. */
async function examine(store: FastBlocks, { multihash, bytes: met, flaw }: ListedBlock, signal: AbortSignal): Promise<Fault> {
  try {
    const first = met instanceof Uint8Array ? met : await met().catch(() => undefined)
    if (first !== undefined && (await faultOf(multihash, first, signal)) === undefined) return flawed(multihash, await flaw?.())
    if (multihash.byteLength === 0 && typeof met === 'function') await met()
    const bytes = await store.getBytes(multihash, { signal })
    if (bytes !== undefined) return await faultOf(multihash, bytes, signal)
    if (!(await store.hasMultihash(multihash, { signal }))) return GONE
    throw repoErrors.E_BLOCK_FILE_LOST()
  } catch (error) {
    return corrupt(multihash, error)
  }
}

/** @returns what is wrong with these bytes as a block; undefined: nothing */
export async function faultOf(multihash: Uint8Array, bytes: Uint8Array, signal: AbortSignal): Promise<DamagedBlock | undefined> {
  try {
    const { code, size, digest } = decodeMultihash(multihash)
    if (Buffer.compare(await digestInTurns(hashFunction(code), bytes, size, { signal }), digest) !== 0) throw blockErrors.E_BLOCK_CORRUPT()
    return undefined
  } catch (error) {
    return corrupt(multihash, error)
  }
}

function flawed(multihash: Uint8Array, flaw: Error | undefined): DamagedBlock | undefined {
  return flaw && { multihash, says: `block ${rawCidToString(multihash)} is whole, but ${flaw.message}` }
}

/** In the words of Kubo 0.28, core/commands/repo.go. */
function corrupt(multihash: Uint8Array, error: unknown): DamagedBlock {
  if (multihash.byteLength === 0) return { multihash, says: `some blocks cannot be named (${messageOf(error)})` }
  return { multihash, says: `block ${rawCidToString(multihash)} was corrupt (${messageOf(error)})` }
}
