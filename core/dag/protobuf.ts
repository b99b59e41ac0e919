import { dagErrors } from '../errors/dag.ts'

/** ProtobufReader types of protobuf. */
export const LENGTH_DELIMITED = 2
export const VARINT = 0

/** A cursor over protobuf (google.golang.org/protobuf, protowire). */
export class ProtobufReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** @throws E_UNEXPECTED_EOF, E_PB_VARINT */
  varint(): number | bigint {
    const first = this.bytes[this.at]
    if (first !== undefined && first < 0x80 && this.at < this.end) {
      this.at++
      return first
    }
    let value = 0
    let scale = 1
    for (let i = 0; i < 7; i++, scale *= 128) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    return this.#longVarint(BigInt(value))
  }

  #longVarint(low: bigint): number | bigint {
    let value = low
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      if (shift === 63n && byte > 1) throw dagErrors.E_PB_VARINT()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }

  #byte(): number {
    if (this.at >= this.end) throw dagErrors.E_UNEXPECTED_EOF()
    return this.bytes[this.at++]!
  }

  /** Field number × 8 + wire type. @throws E_PB_FIELD */
  tag(): number {
    const tag = this.varint()
    if (tag < 8 || tag >= 0x400000000) throw dagErrors.E_PB_FIELD()
    return Number(tag)
  }

  /** Where the length-delimited field at the cursor ends; the cursor moves to its start. */
  delimited(): number {
    const size = this.varint()
    if (size > this.end - this.at) throw dagErrors.E_UNEXPECTED_EOF()
    return this.at + Number(size)
  }
}
