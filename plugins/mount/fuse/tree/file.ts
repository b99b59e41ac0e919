import type { Lease, Mfs } from '../../../../core/index.ts'
import { Reader } from '../reader.ts'

/** Bytes that are collected before they become part of the tree. */
const PIECE = 1 << 20

/** Bytes of all files together that were written and are no part of the tree yet. */
export class Waiting {
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }
}

/**
 * A file of the tree that is open. What is written in a row is collected: a change of the tree for each write of the kernel would make a new
 * root of the file 8,192 times for a gigabyte. One operation at a time.
 */
export class TreeFile {
  readonly #tree: Mfs
  readonly #pathOf: () => string | undefined
  readonly #waiting: Waiting
  #pieces: Uint8Array[] = []
  #from = 0n
  #length = 0
  #reader: Reader | undefined
  /** Whether the tree has a change of it that may not survive power loss. */
  #isChanged = false
  #turn: Promise<unknown> = Promise.resolve()
  /** How many have it open. */
  users = 0

  /** @param pathOf - where the file is now; undefined once it is gone */
  constructor(tree: Mfs, pathOf: () => string | undefined, waiting: Waiting) {
    this.#tree = tree
    this.#pathOf = pathOf
    this.#waiting = waiting
  }

  /** Where what was written and is no part of the tree yet ends; 0n where there is nothing. */
  get end(): bigint {
    return this.#length === 0 ? 0n : this.#from + BigInt(this.#length)
  }

  read(offset: bigint, size: number): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      await this.#put()
      this.#reader ??= await this.#open()
      return this.#reader.read(offset, size)
    })
  }

  write(offset: bigint, bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#length > 0 && (offset !== this.end || this.#isDue)) await this.#put()
      if (this.#length === 0) this.#from = offset
      this.#pieces.push(bytes)
      this.#length += bytes.length
      this.#waiting.add(bytes.length)
      if (this.#isDue) await this.#put()
    })
  }

  /**
   * Makes what was written part of the tree.
   *
   * @param flush - whether it has to survive power loss then
   * @returns whether something did that did not before
   */
  flush(flush: boolean): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#put()
      const path = this.#pathOf()
      if (!flush || !this.#isChanged || path === undefined) return false
      await this.#tree.flush(path)
      this.#isChanged = false
      return true
    })
  }

  /** Cuts it, or puts zeros behind its end. */
  resize(size: bigint): Promise<void> {
    return this.#inTurn(async () => {
      await this.#put()
      const path = this.#path()
      const is = (await this.#tree.stat(path)).size
      if (size === is) return
      await this.#closeReader()
      this.#isChanged = true
      if (size > is) await this.#tree.write(path, nothing(), { offset: size, flush: false })
      else await this.#tree.write(path, await this.#start(path, size), { truncate: true, flush: false })
    })
  }

  /** Lets go of it. What could not be made part of the tree until now is lost. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#drop()
      await this.#closeReader()
    })
  }

  /** Lets nothing happen to the file until that is released. */
  hold(): Promise<Lease> {
    return new Promise(resolve => {
      void this.#inTurn(() => new Promise<void>(release => resolve({ release })))
    })
  }

  /** A reader of the tree sees a file as it was, so that a file can be written from its own beginning. */
  async #start(path: string, length: bigint): Promise<AsyncIterable<Uint8Array>> {
    return length === 0n ? nothing() : this.#tree.read(path, { length })
  }

  async #open(): Promise<Reader> {
    const path = this.#path()
    const { size } = await this.#tree.stat(path)
    return new Reader({ size, read: range => this.#tree.read(path, range) })
  }

  /** Whether so much waits that it has to become part of the tree. */
  get #isDue(): boolean {
    return this.#length >= PIECE || this.#waiting.isFull
  }

  /** The write of changes; one that fails is tried again with the next operation, so that whoever closes the file is told. */
  async #put(): Promise<void> {
    if (this.#length === 0) return
    const path = this.#pathOf()
    if (path === undefined) {
      this.#drop()
      throw new FileGone()
    }
    await this.#closeReader()
    this.#isChanged = true
    await this.#tree.write(path, once(Buffer.concat(this.#pieces, this.#length)), { offset: this.#from, flush: false })
    this.#drop()
  }

  #drop(): void {
    this.#waiting.add(-this.#length)
    this.#pieces = []
    this.#length = 0
  }

  async #closeReader(): Promise<void> {
    const reader = this.#reader
    this.#reader = undefined
    await reader?.close()
  }

  /** @throws FileGone */
  #path(): string {
    const path = this.#pathOf()
    if (path === undefined) throw new FileGone()
    return path
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

/** The file was removed while it was open: what is in it can be read where it was read before, and nothing can be written. */
export class FileGone extends Error {}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
