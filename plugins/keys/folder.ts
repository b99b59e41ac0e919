import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { octal } from '../../core/files/errors.ts'
import { withRegularFile } from '../../core/files/regular.ts'
import { syncFolder, writeWhole } from '../../core/files/whole.ts'
import { hasCode, type Logger, messageOf } from '../../core/index.ts'
import { keysErrors } from './errors.ts'
import type { KeyFiles } from './files.ts'
import { fileNameOf, keyNameOf } from './names.ts'

/** Most bytes of a file with a key: one of RSA with 8192 bits has less than 5000. */
const MOST = 65_536

const READ_OR_WRITTEN_BY_OTHERS = 0o077

/** A file that was not renamed yet when its writer was killed. */
const UNFINISHED = /^\.key-[0-9a-f]{16}$/

/** Keys in a folder, as the reference keeps them (boxo 0.19, keystore): a file each. It is made with the first key. */
export class FolderFiles implements KeyFiles {
  readonly #path: string
  readonly #log: Pick<Logger, 'error'>
  /** Whether the folder was there in this run: one that is gone since is never made again, as keys lie in it elsewhere. */
  #isMade = false

  constructor(path: string, log: Pick<Logger, 'error'>) {
    this.#path = path
    this.#log = log
  }

  /** Removes what a killed process left unfinished, and closes the folder and its files to others. Call while nobody else works on it. */
  async open(progress: () => void): Promise<void> {
    const entries = await this.#entries()
    if (entries.length > 0) await this.#closeToOthers(this.#path, 0o700)
    for (const entry of entries) {
      progress()
      const path = join(this.#path, entry)
      if (UNFINISHED.test(entry)) await this.#doing('remove', path, () => unlink(path))
      else if (keyNameOf(entry) !== undefined) await this.#closeToOthers(path, 0o600)
    }
  }

  placeOf(name: string): string {
    return join(this.#path, fileNameOf(name))
  }

  async names(): Promise<readonly string[]> {
    return (await this.#entries()).map(keyNameOf).filter(name => name !== undefined)
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.placeOf(name)
    try {
      if ((await lstat(path)).isSymbolicLink()) throw keysErrors.E_KEY_FILE(name, path, 'it is a symbolic link')
      const bytes = await withRegularFile(path, ({ first }) => first(MOST + 1))
      if (bytes.length > MOST) throw keysErrors.E_KEY_FILE(name, path, `it has more than ${MOST} bytes`)
      return bytes
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return this.#absent()
      if (hasCode(error, 'E_KEY_FILE')) throw error
      throw keysErrors.E_KEY_FILE(name, path, messageOf(error))
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.placeOf(name)
    await this.#doing('write', path, async () => {
      if (!this.#isMade) await this.#make()
      await writeWhole(path, bytes, join(this.#path, `.key-${randomBytes(8).toString('hex')}`))
    })
  }

  async rename(from: string, to: string): Promise<void> {
    const path = this.placeOf(from)
    await this.#doing('rename', path, async () => {
      await rename(path, this.placeOf(to))
      await syncFolder(this.#path)
    })
  }

  async remove(name: string): Promise<void> {
    const path = this.placeOf(name)
    await this.#doing('remove', path, async () => {
      await unlink(path)
      await syncFolder(this.#path)
    })
  }

  /** The answer for a file that is not there. @throws E_KEY_FOLDER where all of them are gone */
  async #absent(): Promise<undefined> {
    await this.#entries()
  }

  /** Not the folders above it: without them the repo is gone. */
  async #make(): Promise<void> {
    await mkdir(this.#path, { mode: 0o700 })
    this.#isMade = true
    await syncFolder(dirname(this.#path))
  }

  async #entries(): Promise<string[]> {
    try {
      const entries = await readdir(this.#path)
      this.#isMade = true
      return entries
    } catch (error) {
      if (hasCode(error, 'ENOENT') && !this.#isMade) return []
      throw keysErrors.E_KEY_FOLDER('read', this.#path, messageOf(error))
    }
  }

  async #closeToOthers(path: string, mode: number): Promise<void> {
    const found = await lstat(path)
    if (found.isSymbolicLink() || (found.mode & READ_OR_WRITTEN_BY_OTHERS) === 0) return
    await this.#doing('close to others', path, () => chmod(path, found.mode & mode))
    this.#log.error(
      `others could open ${path} (mode ${octal(found.mode)}), which is closed to them now: a key that others read is theirs too`
    )
  }

  async #doing(verb: string, path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      throw keysErrors.E_KEY_FOLDER(verb, path, messageOf(error))
    }
  }
}
