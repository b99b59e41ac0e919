import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlockTotals, FastBlockstore, type Startable, type StoredBlock } from 'holdfast'
import { Cipher, OVERHEAD } from './cipher.ts'
import { errors } from './errors.ts'

interface Options {
  signal?: AbortSignal
}

/** Files that are written or removed at the same time. */
const AT_ONCE = 16
const CHECK = 'key-check'
const CHECK_TEXT = 'these blocks are encrypted with this key'

/**
 * One file for each block: the length of its multihash in one byte, the multihash sealed, the block sealed. So a listing reads and opens
 * the first hundred bytes of each file alone, and a size is told by the file's own.
 */
export class EncryptedBlockstore extends FastBlockstore implements Startable {
  readonly #folder: string
  readonly #keyFile: string
  #cipher!: Cipher
  /** Files under way, which `tidy` leaves alone. */
  readonly #temporary = new Set<string>()
  /** Folders whose entries were changed since the last durability point. */
  readonly #changed = new Set<string>()

  constructor(folder: string, keyFile: string) {
    super()
    this.#folder = folder
    this.#keyFile = keyFile
  }

  /** @throws E_KEY_MISSING, E_KEY_FORM, E_KEY_WRONG */
  async start(): Promise<void> {
    const text = await readFile(this.#keyFile, 'utf8').catch(() => {
      throw errors.E_KEY_MISSING(this.#keyFile)
    })
    const secret = Buffer.from(text.trim(), 'base64')
    if (secret.length !== 32) throw errors.E_KEY_FORM(this.#keyFile)
    this.#cipher = new Cipher(secret)
    await mkdir(this.#temporaryFolder, { recursive: true, mode: 0o700 })
    const check = join(this.#folder, CHECK)
    const sealed = await readFile(check).catch(() => undefined)
    if (sealed === undefined) await writeFile(check, this.#cipher.seal(CHECK, Buffer.from(CHECK_TEXT), CHECK), { mode: 0o600 })
    else if (this.#cipher.open(CHECK, sealed, CHECK) === undefined) throw errors.E_KEY_WRONG(this.#keyFile, this.#folder)
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted()
    const { name, file } = this.#placeOf(multihash)
    const sealed = await unlessAbsent(readFile(file))
    if (sealed === undefined) return undefined
    const bytes = this.#cipher.open(name, sealed.subarray(headOf(multihash.length)), multihash)
    if (bytes === undefined) throw errors.E_BLOCK_UNREADABLE(file)
    return bytes
  }

  async putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    const { name, folder, file } = this.#placeOf(multihash)
    if ((await unlessAbsent(stat(file)))?.size === headOf(multihash.length) + OVERHEAD + bytes.length) return
    const head = [Uint8Array.of(multihash.length), this.#cipher.seal(name, multihash, 'multihash')]
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const temporary = join(this.#temporaryFolder, randomUUID())
    this.#temporary.add(temporary)
    try {
      await writeWhole(temporary, Buffer.concat([...head, this.#cipher.seal(name, bytes, multihash)]))
      await rename(temporary, file)
      this.#changed.add(folder)
    } finally {
      this.#temporary.delete(temporary)
    }
  }

  async putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    await inGroups(blocks, ({ multihash, bytes }) => this.putBytes(multihash, bytes, options))
  }

  async hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return (await this.sizeOf(multihash, options)) !== undefined
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    options?.signal?.throwIfAborted()
    const found = await unlessAbsent(stat(this.#placeOf(multihash).file))
    return found === undefined ? undefined : Math.max(0, found.size - headOf(multihash.length) - OVERHEAD)
  }

  async deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    const { folder, file } = this.#placeOf(multihash)
    const gone = await unlessAbsent(unlink(file).then(() => true))
    if (gone) this.#changed.add(folder)
    return gone === true
  }

  deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    return inGroups(multihashes, async multihash => {
      const size = await this.sizeOf(multihash, options)
      return (await this.deleteMultihash(multihash, options)) ? size : undefined
    })
  }

  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    for await (const { name, file } of this.#files(options)) {
      const multihash = await this.#multihashIn(name, file)
      if (multihash !== undefined) yield multihash
    }
  }

  async totals(options?: Options): Promise<BlockTotals> {
    const totals = { blocks: 0, bytes: 0 }
    for await (const { file } of this.#files(options)) {
      const found = await unlessAbsent(stat(file))
      const length = await unlessAbsent(readStart(file, 1))
      if (found === undefined || length === undefined) continue
      totals.blocks++
      totals.bytes += Math.max(0, found.size - headOf(length[0] ?? 0) - OVERHEAD)
    }
    return totals
  }

  /** The bytes of every block are on the disk already; its name may not be. */
  async sync(): Promise<void> {
    const folders = [...this.#changed, this.#folder]
    this.#changed.clear()
    await inGroups(folders, async folder => {
      const handle = await open(folder)
      await handle.sync().finally(() => handle.close())
    })
  }

  async tidy(options?: Options): Promise<void> {
    for await (const { name } of await opendir(this.#temporaryFolder)) {
      options?.signal?.throwIfAborted()
      const file = join(this.#temporaryFolder, name)
      if (!this.#temporary.has(file)) await rm(file, { force: true })
    }
  }

  get #temporaryFolder(): string {
    return join(this.#folder, 'temporary')
  }

  #placeOf(multihash: Uint8Array): { name: string; folder: string; file: string } {
    const name = this.#cipher.nameOf(multihash)
    const folder = join(this.#folder, name.slice(0, 2))
    return { name, folder, file: join(folder, name) }
  }

  async *#files(options: Options | undefined): AsyncGenerator<{ name: string; file: string }> {
    for await (const { name: group } of await opendir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(group)) continue
      for await (const { name } of await opendir(join(this.#folder, group))) {
        options?.signal?.throwIfAborted()
        if (/^[0-9a-f]{64}$/.test(name)) yield { name, file: join(this.#folder, group, name) }
      }
    }
  }

  /** @returns undefined for a file that is gone. @throws E_BLOCK_UNREADABLE */
  async #multihashIn(name: string, file: string): Promise<Uint8Array | undefined> {
    const start = await unlessAbsent(readStart(file, headOf(255)))
    if (start === undefined) return undefined
    const multihash = this.#cipher.open(name, start.subarray(1, headOf(start[0] ?? 0)), 'multihash')
    if (multihash === undefined) throw errors.E_BLOCK_UNREADABLE(file)
    return multihash
  }
}

/** Bytes before the sealed block. */
const headOf = (multihashLength: number) => 1 + OVERHEAD + multihashLength

/** Writes a file and waits until its bytes are on the disk. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

async function readStart(file: string, length: number): Promise<Uint8Array> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file)
    const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle?.close()
  }
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  return results
}
