import { FastBlockstore } from '../../../core/blocks/blockstore.ts'
import { hasCode } from '../../../core/errors.ts'
import type { BlockFolder, BlockTotals, Datastore, FoundBlock, ListedBlock, Startable, StoredBlock } from '../../../core/index.ts'
import type { Write } from '../database/database.ts'
import { RocksDatastore } from '../database/datastore.ts'
import { isIntact } from '../durability/suspects.ts'
import { storageErrors } from '../errors.ts'
import { BLOCK_FOLDER, type Storage } from '../storage.ts'
import { compact } from './compaction.ts'
import { decodeValue, inlineValue, isFileValue, nameOf, type Place, sizeOfValue } from './values.ts'

interface Options {
  signal?: AbortSignal
  transient?: boolean
  cold?: boolean
}

/**
 * Blocks by multihash: small ones in RocksDB, the bytes of large ones beside it. A block exists if and only if its key does: the bytes are
 * written first, then the key; the key is removed first, then the bytes.
 */
export class RocksBlockstore extends FastBlockstore implements Startable {
  readonly #storage: Storage

  constructor(storage: Storage) {
    super()
    this.#storage = storage
  }

  start(signal?: AbortSignal, progress?: () => void): Promise<void> {
    return this.#storage.open({ signal, progress })
  }

  stop(_?: AbortSignal, progress?: () => void): Promise<void> {
    return this.#storage.close(progress)
  }

  releaseMemory(): void {
    this.#storage.kept.clear()
    this.#storage.database.releaseMemory()
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted()
    const { suspects, kept } = this.#storage
    if (suspects.size > 0) await suspects.check(multihash)
    const known = kept.value(multihash)
    const value = known instanceof Promise ? await known : known
    if (value === undefined) return undefined
    const found = decodeValue(value)
    return found.kind === 'inline' ? found.bytes : this.#storage.read(multihash, found, options?.transient)
  }

  atHand(multihash: Uint8Array, isWhole?: (bytes: Uint8Array) => boolean): Uint8Array | undefined {
    return this.#storage.suspects.size > 0 ? undefined : this.#storage.kept.bytesAtHand(multihash, isWhole)
  }

  /** RocksDB has a checksum of what lies in it. */
  guards(multihash: Uint8Array): boolean {
    return this.#storage.written.has(multihash) || this.#storage.kept.knows(multihash)
  }

  doubt(multihash: Uint8Array): void {
    this.#storage.written.delete(multihash)
    this.#storage.kept.forget(multihash)
  }

  async readAll(multihashes: readonly Uint8Array[], options?: Options): Promise<readonly FoundBlock[]> {
    options?.signal?.throwIfAborted()
    await this.#check(multihashes)
    const values = await this.#storage.kept.valuesOf(multihashes, options?.cold)
    return values.map((value, i) => {
      if (value === undefined) return undefined
      const found = decodeValue(value)
      return found.kind === 'inline' ? found.bytes : this.#storage.read(multihashes[i]!, found, options?.transient)
    })
  }

  async putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    // To write a small block once more costs no more than to look whether it is there.
    if (this.#isInline(bytes)) {
      if (this.#storage.kept.knows(multihash)) return
      await this.#check([multihash])
      this.#storage.room.takeSmall(bytes.byteLength)
      await this.#storage.database.write([inline(multihash, bytes)])
    } else await this.#putLarge(multihash, bytes)
  }

  async putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    await this.#check(blocks.map(({ multihash }) => multihash))
    const large = blocks.filter(({ bytes }) => !this.#isInline(bytes))
    const small: Write[] = []
    let size = 0
    for (const { multihash, bytes } of blocks) {
      if (!this.#isInline(bytes) || this.#storage.kept.knows(multihash)) continue
      small.push(inline(multihash, bytes, options?.cold))
      size += bytes.byteLength
    }
    if (size > 0) this.#storage.room.takeSmall(size)
    await Promise.all([this.#storage.database.write(small), ...large.map(({ multihash, bytes }) => this.#putLarge(multihash, bytes))])
  }

  /** Stores the block by a file of its own, whatever the settings say of others. */
  async linkFile(multihash: Uint8Array, file: string, size: number, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    if (size <= this.#storage.options.inlineUpTo) return false
    const isLinked = await this.#storage.locks.run(nameOf(multihash), async () => {
      const bytes = this.#storage.census.lacks(multihash) ? undefined : await this.getBytes(multihash).catch(() => undefined)
      if (bytes !== undefined && isIntact(multihash, bytes)) return true
      return this.#storage.linkFile(multihash, file, size)
    })
    if (isLinked) await this.#storage.syncIfMany()
    return isLinked
  }

  async hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    return (await this.#value(multihash)) !== undefined
  }

  async hasAll(multihashes: readonly Uint8Array[], options?: Options): Promise<readonly boolean[]> {
    options?.signal?.throwIfAborted()
    await this.#check(multihashes)
    return this.#storage.kept.hasAll(multihashes)
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    options?.signal?.throwIfAborted()
    const value = await this.#value(multihash)
    return value && sizeOfValue(value)
  }

  async deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return (await this.deleteAll([multihash], options))[0] !== undefined
  }

  /** The keys in one batch, then the files. Under the keys' locks: a put of the same block must not come between. */
  deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    return this.#storage.locks.run(multihashes.map(nameOf), async () => {
      options?.signal?.throwIfAborted()
      const { database, files } = this.#storage
      await this.#check(multihashes)
      const values = await Promise.all(multihashes.map(key => database.get('blocks', key).catch(orDamaged)))
      for (const multihash of multihashes) this.#storage.lost.forget(multihash)
      const there = multihashes.filter((_, i) => values[i] !== undefined)
      await database.write(there.map(key => ({ family: 'blocks', key, value: undefined })))
      // A key that a power loss brings back would find no file.
      if (values.some(value => value !== undefined && isFileValue(value))) await database.sync()
      return Promise.all(
        values.map(async (value, i) => {
          if (value === undefined) return undefined
          // A block whose file was lost was not there.
          const isLost = isFileValue(value) && !(await files.remove(files.pathOf(multihashes[i]!)))
          return isLost ? undefined : sizeOfValue(value)
        })
      )
    })
  }

  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    let unread: unknown
    for await (const { key, damage } of this.#storage.database.entries('blocks', {}, { ...options, values: false, damaged: true }))
      if (key.byteLength > 0) yield key
      else unread ??= damage
    if (unread !== undefined) throw unread
  }

  async *listBlocks(options?: Options): AsyncGenerator<ListedBlock> {
    for await (const { key, value, damage } of this.#storage.database.entries('blocks', {}, { ...options, damaged: true })) {
      if (damage !== undefined) {
        // Put again, it must be written.
        this.#storage.kept.forget(key)
        yield { multihash: key, size: 0, bytes: () => Promise.reject(damage) }
        continue
      }
      const found = decodeValue(value)
      const bytes = found.kind === 'inline' ? found.bytes : async () => this.#storage.readFromDisk(key, found)
      const flaw = found.kind === 'segment' ? () => this.#flawOf(key, found) : undefined
      yield { multihash: key, size: found.size, bytes, ...(flaw && { flaw }) }
    }
  }

  /** The head of a record says whose bytes follow: without the database nothing else does. */
  async #flawOf(multihash: Uint8Array, place: Place): Promise<Error | undefined> {
    const { segments } = this.#storage
    if (await segments.holds(multihash, place)) return undefined
    const value = await this.#value(multihash)
    const now = value && decodeValue(value)
    const isMoved = now?.kind !== 'segment' || now.segment !== place.segment || now.offset !== place.offset
    return isMoved ? undefined : storageErrors.E_STORAGE_HEAD(segments.pathOf(place.segment), place.offset)
  }

  async totals(options?: Options): Promise<BlockTotals> {
    const { blocks, bytes } = await this.#storage.census.totals(options?.signal)
    return { blocks, bytes }
  }

  async filesInRepo(options?: Options): Promise<BlockFolder> {
    return { folder: BLOCK_FOLDER, bytes: (await this.#storage.census.totals(options?.signal)).apart }
  }

  sync(options?: { readonly looksAtLost?: boolean }): Promise<void> {
    return this.#storage.sync(options)
  }

  lost(): readonly Uint8Array[] {
    return this.#storage.lost.all()
  }

  /** Small blocks and records are in one log, which a power loss cuts off at one place; the bytes of large blocks are not in it. */
  precedes(datastore: Datastore): boolean {
    return datastore instanceof RocksDatastore && datastore.isOf(this.#storage) && this.#storage.unsynced.isEmpty
  }

  async tidy({ signal }: Options = {}): Promise<void> {
    const { files } = this.#storage
    for await (const { path, multihash } of files.list(signal)) {
      if (multihash === undefined) await files.remove(path)
      else
        await this.#storage.locks.run(nameOf(multihash), async () => {
          const value = await this.#value(multihash)
          if (value !== undefined && decodeValue(value).kind === 'file') return
          // A key that a power loss brings back would find no file.
          await this.#storage.database.sync()
          await files.remove(path)
        })
    }
    await compact(this.#storage, this.#storage.locks, signal)
  }

  async #value(multihash: Uint8Array): Promise<Uint8Array | undefined> {
    const { suspects } = this.#storage
    if (suspects.size > 0) await suspects.check(multihash)
    return this.#storage.kept.value(multihash)
  }

  /** A check that is under way would take what is written meanwhile for what it finds to be lost. */
  #check(multihashes: readonly Uint8Array[]): Promise<unknown> | undefined {
    const { suspects } = this.#storage
    return suspects.size > 0 ? Promise.all(multihashes.map(multihash => suspects.check(multihash))) : undefined
  }

  /** Whether the block is there with these bytes on the disk: what was lost, cut off or damaged is written anew. */
  async #isWhole(multihash: Uint8Array, bytes: Uint8Array): Promise<boolean> {
    if (this.#storage.census.lacks(multihash)) return false
    const value = await this.#value(multihash).catch(orDamaged)
    return value !== undefined && this.#storage.holds(multihash, decodeValue(value), bytes)
  }

  #isInline(bytes: Uint8Array): boolean {
    return bytes.byteLength <= this.#storage.options.inlineUpTo
  }

  /** Under the key's lock: a put of the same block must not come between the removal of a key and of its file. */
  async #putLarge(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    const isWritten = await this.#storage.locks.run(nameOf(multihash), async () => {
      if (await this.#isWhole(multihash, bytes)) return false
      await this.#storage.writeLarge(multihash, bytes)
      return true
    })
    if (isWritten) await this.#storage.syncIfMany()
  }
}

function inline(multihash: Uint8Array, bytes: Uint8Array, cold?: boolean): Write {
  return { family: 'blocks', key: multihash, value: inlineValue(bytes), cold }
}

/** What stands for the value of a key that cannot be read. */
const UNREADABLE = inlineValue(new Uint8Array())

function orDamaged(error: unknown): Uint8Array {
  if (hasCode(error, 'E_STORAGE_DAMAGED')) return UNREADABLE
  throw error
}
