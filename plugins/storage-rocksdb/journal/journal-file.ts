import fs from 'node:fs'
import { storageErrors } from '../errors.ts'
import { close, fdatasync, isMissing, namingFile, syncFolder, unlink } from '../files.ts'

const EXTENSION = '.journal'
/** The name of a file, with as many digits as fit the 48 bits of a marker. */
const NAME = /^(\d{8,14})\.journal$/

/** The path of a journal file. */
export function pathOf(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(8, '0')}${EXTENSION}`
}

/** Where a journal file lies once it is damaged. */
export function damagedOf(folder: string, number: number): string {
  return `${pathOf(folder, number)}.damaged`
}

/** The number in a name; undefined where it is no journal file's. */
export function numberOf(name: string): number | undefined {
  const number = NAME.exec(name)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** A file that records are appended to, and nothing else. */
export class JournalFile {
  readonly number: number
  /** The number of the last batch before its first record. */
  readonly base: number
  readonly #folder: string
  readonly #fd: number
  #syncing: Promise<void> | undefined
  #closed: Promise<void> | undefined
  #size = 0
  #isNamed = false
  #isBroken = false

  private constructor(folder: string, number: number, base: number) {
    this.#folder = folder
    this.number = number
    this.base = base
    this.#fd = fs.openSync(pathOf(folder, number), 'wx', 0o600)
  }

  /** A new one. It is not worth a way to another thread, which takes longer. */
  static create(folder: string, number: number, base: number): JournalFile {
    return new JournalFile(folder, number, base)
  }

  /** The size in bytes. */
  get size(): number {
    return this.#size
  }

  /** Whether nothing can be appended any more: behind the last record may be part of one, or its sync failed. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** All or nothing: the bytes are in the system's hands when this returns, and survive the death of the process. */
  append(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.byteLength; ) {
        const written = fs.writeSync(this.#fd, bytes, done, bytes.byteLength - done, this.#size + done)
        if (written === 0) throw new Error('the system took nothing of a write')
        done += written
      }
    } catch (error) {
      this.#cut()
      throw error
    }
    this.#size += bytes.byteLength
  }

  /** The sync after which all that was appended survives power loss. Not to be asked for while it goes on. */
  sync(): Promise<void> {
    this.#syncing = this.#syncAll()
    return this.#syncing
  }

  async remove(): Promise<void> {
    await this.leave()
    await unlink(pathOf(this.#folder, this.number)).catch(error => {
      if (!isMissing(error)) throw error
    })
  }

  /** Lets go of it; it stays for the next start. Once: later the descriptor may be that of another file. */
  leave(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#syncing?.catch(() => {})
    await close(this.#fd).catch(() => {})
  }

  #cut(): void {
    try {
      fs.ftruncateSync(this.#fd, this.#size)
    } catch {
      this.#isBroken = true
    }
  }

  async #syncAll(): Promise<void> {
    try {
      await fdatasync(this.#fd).catch(namingFile(pathOf(this.#folder, this.number)))
      this.#checkPlace()
      if (!this.#isNamed) await syncFolder(this.#folder)
      this.#isNamed = true
    } catch (error) {
      this.#isBroken = true
      throw error
    }
  }

  /** Its writes go on where the folder was moved to, and nothing there is found by a next start. */
  #checkPlace(): void {
    const path = pathOf(this.#folder, this.number)
    const found = fs.statSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.ino !== fs.fstatSync(this.#fd).ino) throw storageErrors.E_STORAGE_MOVED(path)
  }
}
