import { dagErrors } from './errors.ts'

/** Most bytes an encoder makes unless told otherwise: 64 MiB. */
export const DEFAULT_LIMIT = 64 * 1024 * 1024

/** Bytes that grow as they are written. */
export class Output {
  readonly #limit: number
  #buffer: Buffer
  #length = 0

  constructor(limit = DEFAULT_LIMIT, expected = 256) {
    this.#limit = limit
    this.#buffer = Buffer.allocUnsafeSlow(expected)
  }

  get length(): number {
    return this.#length
  }

  /** Makes room for `size` more bytes and gives the place to write them to. */
  #reserve(size: number): number {
    const at = this.#length
    const needed = at + size
    if (needed > this.#limit) throw dagErrors.E_ENCODED_TOO_LARGE(this.#limit)
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
      grown.set(this.#buffer.subarray(0, at))
      this.#buffer = grown
    }
    this.#length = needed
    return at
  }

  byte(value: number): void {
    const at = this.#reserve(1)
    this.#buffer[at] = value
  }

  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length)
    this.#buffer.set(value, at)
  }

  uint16(value: number): void {
    const at = this.#reserve(2)
    this.#buffer.writeUInt16BE(value, at)
  }

  uint32(value: number): void {
    const at = this.#reserve(4)
    this.#buffer.writeUInt32BE(value, at)
  }

  uint64(value: bigint): void {
    const at = this.#reserve(8)
    this.#buffer.writeBigUInt64BE(value, at)
  }

  float64(value: number): void {
    const at = this.#reserve(8)
    this.#buffer.writeDoubleBE(value, at)
  }

  /** Text of ASCII characters only. */
  ascii(text: string): void {
    const at = this.#reserve(text.length)
    this.#buffer.write(text, at, 'latin1')
  }

  /** The bytes that were written, in memory of their own size. */
  finish(): Uint8Array {
    return this.#length === this.#buffer.length ? this.#buffer : Uint8Array.prototype.slice.call(this.#buffer, 0, this.#length)
  }
}
