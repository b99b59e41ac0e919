import { storageErrors } from '../errors.ts'
import { close, isMissing, namingFile, open } from '../files.ts'

interface OpenFile {
  readonly fd: Promise<number>
  users: number
  /** Whether its last user closes it. */
  isDropped: boolean
}

/** Numbered files that stay open for the next read, up to `most` of them beside those in use. */
export class OpenFiles {
  readonly #pathOf: (number: number) => string
  readonly #most: number
  readonly #files = new Map<number, OpenFile>()
  /** Stays open for as long as it is the one that is written. */
  #written: number | undefined
  #isClosed = false

  constructor(pathOf: (number: number) => string, most: number) {
    this.#pathOf = pathOf
    this.#most = most
  }

  open(): void {
    this.#isClosed = false
  }

  /** The close of all files; those who use one at this moment may finish. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#written = undefined
    await Promise.all([...this.#files.keys()].map(number => this.drop(number)))
  }

  /** From now on the file is used through `fd`, which may write to it. */
  async write(number: number, fd: number): Promise<void> {
    const reading = this.drop(number)
    this.#files.set(number, { fd: Promise.resolve(fd), users: 0, isDropped: false })
    this.#written = number
    await reading
  }

  /** @returns undefined when there is no such file @throws E_STORAGE_NOT_OPEN */
  async use<T>(number: number, work: (fd: number) => Promise<T>): Promise<T | undefined> {
    if (this.#isClosed) throw storageErrors.E_STORAGE_NOT_OPEN()
    const file = this.#files.get(number) ?? this.#openToRead(number)
    file.users++
    try {
      return await work(await file.fd)
    } catch (error) {
      return isMissing(error) ? undefined : namingFile(this.#pathOf(number))(error)
    } finally {
      file.users--
      if (file.isDropped && file.users === 0) await closeQuietly(file)
    }
  }

  async drop(number: number): Promise<void> {
    const file = this.#files.get(number)
    if (file === undefined) return
    this.#files.delete(number)
    file.isDropped = true
    if (file.users === 0) await closeQuietly(file)
  }

  #openToRead(number: number): OpenFile {
    for (const [other, { users }] of this.#files) {
      if (this.#files.size < this.#most) break
      if (other !== this.#written && users === 0) void this.drop(other)
    }
    const file: OpenFile = { fd: open(this.#pathOf(number), 'r'), users: 0, isDropped: false }
    this.#files.set(number, file)
    // What could not be opened this time may well be the next.
    file.fd.catch(() => {
      if (this.#files.get(number) === file) this.#files.delete(number)
    })
    return file
  }
}

/** The close of a file whose error is passed over: what was read is read, and what was written is for a sync to tell: often nobody is there any more who could be told of it. */
function closeQuietly({ fd }: OpenFile): Promise<void> {
  return fd.then(close).catch(() => {})
}
