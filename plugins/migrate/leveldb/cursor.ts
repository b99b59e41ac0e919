import { OVERFLOW, TRUNCATED, VarintReader } from '../../../core/cid/index.ts'
import { migrateErrors } from '../errors.ts'

/** Bytes of a file that are read from the front to the back. What goes beyond their end is an error that names the file. */
export class Cursor {
  at = 0
  readonly #bytes: Uint8Array
  readonly #file: string

  constructor(bytes: Uint8Array, file: string) {
    this.#bytes = bytes
    this.#file = file
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  /** @throws E_LEVELDB_FILE */
  byte(): number {
    const byte = this.#bytes[this.at]
    if (byte === undefined) throw this.fault('it ends too early')
    this.at++
    return byte
  }

  /** A number of up to 53 bits in groups of 7, the lowest first. @throws E_LEVELDB_FILE */
  varint(): number {
    const reader = new VarintReader(this.#bytes, this.at)
    const value = reader.varint(this.#bytes.length)
    if (value === TRUNCATED) throw this.fault('it ends too early')
    if (value === OVERFLOW || !Number.isSafeInteger(value)) throw this.fault('a number in it is too large')
    this.at = reader.at
    return value
  }

  /** A view of the bytes. @throws E_LEVELDB_FILE */
  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.at) throw this.fault('it ends too early')
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  /** Bytes that stand behind their length. @throws E_LEVELDB_FILE */
  prefixed(): Uint8Array {
    return this.take(this.varint())
  }

  fault(why: string): Error {
    return migrateErrors.E_LEVELDB_FILE(this.#file, why)
  }
}
