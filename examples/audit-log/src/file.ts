import { type FileHandle, open, rename, rm } from 'node:fs/promises'

export interface Rotation {
  /** Bytes of a file, after which a new one begins. */
  readonly maxBytes: number
  /** Old files that are kept: `audit.log.1` is the youngest. */
  readonly keep: number
}

/** Lines of text in a file that gives way to a new one when it is full. Lines are written one after the other, in order. */
export class RotatingFile {
  readonly #path: string
  readonly #rotation: Rotation
  #file: FileHandle | undefined
  #size = 0
  #last: Promise<void> = Promise.resolve()

  constructor(path: string, rotation: Rotation) {
    this.#path = path
    this.#rotation = rotation
  }

  async open(): Promise<void> {
    this.#file = await open(this.#path, 'a', 0o600)
    this.#size = (await this.#file.stat()).size
  }

  /** Settles when the line is written. */
  append(line: string): Promise<void> {
    const written = this.#last.then(() => this.#write(Buffer.from(`${line}\n`)))
    this.#last = written.catch(() => {})
    return written
  }

  /** Waits for the lines that are under way. */
  async close(): Promise<void> {
    await this.#last
    await this.#file?.close()
    this.#file = undefined
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#size > 0 && this.#size + bytes.length > this.#rotation.maxBytes) await this.#rotate()
    await this.#file?.appendFile(bytes)
    this.#size += bytes.length
  }

  async #rotate(): Promise<void> {
    const { keep } = this.#rotation
    await this.#file?.close()
    this.#file = undefined
    if (keep === 0) await rm(this.#path)
    for (let age = keep; age > 0; age--) await this.#shift(age)
    await this.open()
  }

  async #shift(age: number): Promise<void> {
    const younger = age === 1 ? this.#path : `${this.#path}.${age - 1}`
    await rename(younger, `${this.#path}.${age}`).catch(error => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}
