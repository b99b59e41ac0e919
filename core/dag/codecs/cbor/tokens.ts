import { decodeUtf8 } from '../../../go/utf8.ts'
import { dagErrors } from '../../errors.ts'
import { finished, MAX_INT64, type Node, ROOM } from '../../model.ts'

/** Longest string in bytes (refmt 0.89). */
export const MAX_STRING = 33554432
export const INDEFINITE = -1
export const BREAK = 0xff

/** What a list or map is until its first entry is there: of a nest of millions, each level waits for the one in it. */
const NO_ITEM_YET: Node[] = []
const NO_ENTRY_YET: Map<string, Node> = new Map()

/** A list or map whose entries are still coming. */
export class OpenContainer {
  value: Node[] | Map<string, Node>
  /** Entries still to come, or {@link INDEFINITE}. */
  left: number
  key = ''
  /** Where the next item of a list goes. */
  #at = 0
  /** Whether a list takes no more memory than its items need. */
  #isExact = false

  private constructor(value: Node[] | Map<string, Node>, left: number) {
    this.value = value
    this.left = left
  }

  static list(length: number): OpenContainer {
    return new OpenContainer(NO_ITEM_YET, length)
  }

  static map(length: number): OpenContainer {
    return new OpenContainer(NO_ENTRY_YET, length)
  }

  /** The key or number of the entry that comes. */
  get place(): string | number {
    return Array.isArray(this.value) ? this.#at : this.key
  }

  put(node: Node): void {
    if (!Array.isArray(this.value)) {
      if (this.value === NO_ENTRY_YET) this.value = new Map()
      this.value.set(this.key, node)
    } else {
      // a short list takes no more memory than it says that it needs
      if (this.#at === 0) {
        this.#isExact = this.left >= 0 && this.left < ROOM
        this.value = this.#isExact ? new Array<Node>(this.left + 1) : []
      }
      this.value[this.#at++] = node
    }
  }

  /** The list or map, which gets no more entries. */
  finish(): Node[] | Map<string, Node> {
    return this.#isExact ? this.value : finished(this.value)
  }
}

const UNDEFINED = 0xf7
/** The tag that says of what follows that it is CBOR, and nothing else (RFC 8949, 3.4.6). */
const SELF_DESCRIBED = 55_799

/** The tokens of CBOR, one after the other: scalars, strings and bytes, which are views of the input, and lists and maps as they open. */
export class CborTokens {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  /** Whether what has no place in a value is refused, where it would be left out. */
  readonly #exact: boolean
  /** The input with a character for each byte: slices of it cost next to nothing. */
  #latin1: string | undefined
  #at = 0
  /** Whether the input may not end here: the reference tells a missing root or value of a map from a missing element or key. */
  promised = true
  /** The tag of the token just read. */
  tag: number | bigint | undefined
  /** The cost of the token just read: the length in bytes of a string and of bytes, 1 of any other. */
  size = 0

  constructor(bytes: Uint8Array, exact: boolean) {
    this.#bytes = bytes
    this.#exact = exact
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Whether all of the input was read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Passes a break, where one comes next. */
  takeBreak(): boolean {
    if (this.#bytes[this.#at] !== BREAK) return false
    this.#at++
    return true
  }

  /** The next byte. */
  byte(): number {
    return this.#bytes[this.#skip(1)]!
  }

  /** The token that begins with the byte `start`, which was read: a scalar, or a list or map opened. */
  read(start: number): Node | OpenContainer {
    let first = start
    this.tag = undefined
    this.size = 1
    while (first >>> 5 === 6) {
      if (this.tag !== undefined) throw dagErrors.E_CBOR_TAGS()
      this.tag = this.#length(first)
      first = this.byte()
    }
    if (this.#exact) this.#refuseLoss(first)
    switch (first >>> 5) {
      case 0:
        return BigInt(this.#uint(first))
      case 1:
        return this.#negative(first)
      case 2:
        return first === 0x5f ? this.#chunks(0x40) : this.#take(this.#checked(first, 'byte'))
      case 3:
        return first === 0x7f ? decodeUtf8(this.#chunks(0x60)) : this.#text(this.#checked(first, 'string'))
      case 4:
        return OpenContainer.list(first === 0x9f ? INDEFINITE : Number(this.#length(first)))
      case 5:
        return OpenContainer.map(first === 0xbf ? INDEFINITE : Number(this.#length(first)))
      default:
        return this.#simple(first)
    }
  }

  #refuseLoss(first: number): void {
    const isTagLost = this.tag !== undefined && this.tag !== SELF_DESCRIBED && first >>> 5 !== 2
    if (isTagLost || first === UNDEFINED) throw dagErrors.E_CBOR_LOSS(isTagLost ? this.tag : undefined)
  }

  #simple(first: number): Node {
    switch (first) {
      case 0xf4:
        return false
      case 0xf5:
        return true
      case 0xf6:
      case UNDEFINED:
        return null
      case 0xf9:
        return halfFloat(this.#view.getUint16(this.#skip(2)))
      case 0xfa:
        return this.#view.getFloat32(this.#skip(4))
      case 0xfb:
        return this.#view.getFloat64(this.#skip(8))
      default:
        throw dagErrors.E_CBOR_BYTE(first)
    }
  }

  #negative(first: number): bigint {
    const value = BigInt(this.#uint(first)) + 1n
    if (value > MAX_INT64 + 1n) throw dagErrors.E_CBOR_NEGATIVE()
    return -value
  }

  /** The argument of a token's first byte. */
  #uint(first: number): number | bigint {
    const low = first & 0x1f
    if (low < 24) return low
    switch (low) {
      case 24:
        return this.byte()
      case 25:
        return this.#view.getUint16(this.#skip(2))
      case 26:
        return this.#view.getUint32(this.#skip(4))
      case 27: {
        const value = this.#view.getBigUint64(this.#skip(8))
        return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
      }
      default:
        throw dagErrors.E_CBOR_DESCRIPTOR(first)
    }
  }

  #length(first: number): number | bigint {
    const length = this.#uint(first)
    if (length > MAX_INT64) throw dagErrors.E_CBOR_LENGTH()
    return length
  }

  #checked(first: number, what: string): number {
    const length = this.#length(first)
    if (length > MAX_STRING) throw dagErrors.E_CBOR_OVERSIZED(what, length)
    return Number(length)
  }

  /** The pieces of an indefinite string, joined. One that is cut short shows when the next piece is looked for. */
  #chunks(major: number): Uint8Array {
    const start = this.#at
    let size = 0
    // once for their sizes, once for their bytes: a million empty pieces take no memory
    this.#eachChunk(major, (from, to) => {
      size += to - from
    })
    const joined = Buffer.alloc(size)
    let at = 0
    this.#at = start
    this.#eachChunk(major, (from, to) => {
      joined.set(this.#bytes.subarray(from, to), at)
      at += to - from
    })
    this.size = size
    return joined
  }

  #eachChunk(major: number, take: (from: number, to: number) => void): void {
    for (let first = this.byte(); first !== BREAK; first = this.byte()) {
      if ((first & 0xe0) !== major) throw dagErrors.E_CBOR_CHUNK(first & 0xe0, first)
      const from = this.#at
      const to = Math.min(from + this.#checked(first, 'indefinite string/bytes'), this.#bytes.length)
      if (to > from) take(from, to)
      this.#at = to
    }
  }

  #text(size: number): string {
    const bytes = this.#take(size)
    let bits = 0
    for (let i = 0; i < size; i++) bits |= bytes[i]!
    if (bits >= 0x80) return decodeUtf8(bytes)
    this.#latin1 ??= Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength).toString('latin1')
    return this.#latin1.slice(this.#at - size, this.#at)
  }

  #take(size: number): Uint8Array {
    const at = size === 0 ? this.#at : this.#skip(size)
    this.size = size
    return this.#bytes.subarray(at, at + size)
  }

  /** Passes `size` bytes, which must be there; the place where they start. */
  #skip(size: number): number {
    const at = this.#at
    const there = this.#bytes.length - at
    if (there < size) throw there === 0 && !this.promised ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
    this.#at = at + size
    return at
  }
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
