import { access, constants, link, mkdir, readdir, writeFile as writeText } from 'node:fs/promises'
import { base32upper } from 'multiformats/bases/base32'
import { messageOf } from '../../../core/index.ts'
import { storageErrors } from '../errors.ts'
import { fileSize, isMissing, makeFolder, readFile, rename, syncFolder, unlink, writeFile } from '../files.ts'
import { Gate } from '../gate.ts'

/** Longest name most file systems take is 255 bytes; base32 makes 8 characters of 5 bytes, and `.data` needs 5. */
const LONGEST_KEY = 156
/** The layout in the words of Kubo's flatfs, which wants to find them in a file of this name. */
const SHARDING = '/repo/flatfs/shard/v1/next-to-last/2\n'
const EXTENSION = '.data'
const TEMPORARY = /^put-\d+$/
/** Another file system, one without hard links, a file of somebody else's, or one that has all the names it can have. */
const NO_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EROFS'])

/** A file below the blocks' folder. `multihash` undefined: what a write left that never ended. */
export interface FoundFile {
  readonly path: string
  readonly multihash: Uint8Array | undefined
}

/**
 * Blocks as files, in the layout of Kubo's flatfs: `<next-to-last two characters of KEY>/<KEY>.data`, KEY being the multihash in upper-case
 * base32 without padding. A file with its final name is whole as far as this process is concerned: it is written under another name first.
 */
export class BlockFiles {
  readonly root: string
  readonly #writers: Gate
  readonly #writing = new Set<string>()
  #counter = 0

  /** `writers`: files written at a time; each keeps a thread of the pool busy that reads need as well. */
  constructor(root: string, writers: number) {
    this.root = root
    this.#writers = new Gate(writers)
  }

  async open(): Promise<void> {
    await makeFolder(this.root)
    await writeText(`${this.root}/SHARDING`, SHARDING, { mode: 0o600, flag: 'wx' }).catch(() => {})
  }

  /** @throws E_STORAGE_KEY_TOO_LONG */
  write(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    const { folder, path } = this.#place(multihash)
    return this.#writers.run(async () => {
      const temporary = `${folder}/put-${this.#counter++}`
      this.#writing.add(temporary)
      try {
        await writeFile(temporary, bytes).catch(async error => {
          if (!isMissing(error)) throw error
          await this.#makeShard(folder)
          await writeFile(temporary, bytes)
        })
        await rename(temporary, path)
      } catch (error) {
        await unlink(temporary).catch(() => {})
        throw storageErrors.E_STORAGE_BLOCK(messageOf(error))
      } finally {
        this.#writing.delete(temporary)
      }
    })
  }

  /** Not the folder above it, which was there at the start: what is written at its old place would be lost. */
  async #makeShard(folder: string): Promise<void> {
    await mkdir(folder, { mode: 0o700 }).catch(error => {
      if (error.code !== 'EEXIST') throw error
    })
  }

  /** Gives a file a second name, that of the block. @returns false where the system has none for it. @throws E_STORAGE_KEY_TOO_LONG */
  async link(multihash: Uint8Array, file: string): Promise<boolean> {
    const { folder, path } = this.#place(multihash)
    const temporary = `${folder}/put-${this.#counter++}`
    this.#writing.add(temporary)
    try {
      // to be synced, a file has to be opened for writing
      await access(file, constants.W_OK)
      await link(file, temporary).catch(async error => {
        if (!isMissing(error)) throw error
        await this.#makeShard(folder)
        await link(file, temporary)
      })
      await rename(temporary, path)
      return true
    } catch (error) {
      if (NO_LINK.has((error as NodeJS.ErrnoException).code ?? '')) return false
      throw storageErrors.E_STORAGE_BLOCK(messageOf(error))
    } finally {
      // a file that had the name before is left under both
      await unlink(temporary).catch(() => {})
      this.#writing.delete(temporary)
    }
  }

  /** The content of the file, whether or not that is `size` bytes. @returns undefined when there is none */
  async read(multihash: Uint8Array, size: number): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.pathOf(multihash), size)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** @returns undefined when there is none */
  size(multihash: Uint8Array): Promise<number | undefined> {
    return fileSize(this.pathOf(multihash))
  }

  /** @returns false when there is none */
  async remove(path: string): Promise<boolean> {
    try {
      await unlink(path)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  /** All block files, and what broken writes left. Foreign files are not touched and not listed. */
  async *list(signal?: AbortSignal): AsyncGenerator<FoundFile> {
    for (const shard of await readdir(this.root, { withFileTypes: true })) {
      if (!shard.isDirectory()) continue
      for (const name of await readdir(`${this.root}/${shard.name}`)) {
        signal?.throwIfAborted()
        const path = `${this.root}/${shard.name}/${name}`
        if (TEMPORARY.test(name)) {
          if (!this.#writing.has(path)) yield { path, multihash: undefined }
        } else {
          const multihash = multihashOf(name)
          if (multihash !== undefined && this.pathOf(multihash) === path) yield { path, multihash }
        }
      }
    }
  }

  /** Makes the names of these files survive power loss. */
  async syncFolders(multihashes: Iterable<Uint8Array>): Promise<void> {
    const folders = new Set<string>()
    for (const multihash of multihashes) folders.add(this.#place(multihash).folder)
    for (const folder of folders) await syncFolder(folder)
    await syncFolder(this.root)
  }

  pathOf(multihash: Uint8Array): string {
    return this.#place(multihash).path
  }

  #place(multihash: Uint8Array): { folder: string; path: string } {
    const key = keyOf(multihash)
    const folder = `${this.root}/${key.slice(-3, -1)}`
    return { folder, path: `${folder}/${key}${EXTENSION}` }
  }
}

function keyOf(multihash: Uint8Array): string {
  if (multihash.byteLength > LONGEST_KEY) throw storageErrors.E_STORAGE_KEY_TOO_LONG(multihash.byteLength, LONGEST_KEY)
  return base32upper.encoder.baseEncode(multihash)
}

function multihashOf(name: string): Uint8Array | undefined {
  if (!name.endsWith(EXTENSION)) return undefined
  try {
    return base32upper.decoder.baseDecode(name.slice(0, -EXTENSION.length))
  } catch {
    return undefined
  }
}
