import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { cidToString, decodeCid } from '../../../core/cid/parse.ts'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/utf8.ts'
import type { Pin, PinMode } from '../../../core/index.ts'

/** The bit of the first byte of a value that says that the CID has a recursive pin as well, which stands for both in a list of all. */
const SHADOWED = 1

/** A CID as the last part of its pin's key: its bytes in base64url, whose order is the one in which pins are listed. */
export function idOf({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

export function prefixOf(mode: PinMode): string {
  return `/pins/${mode}/`
}

/** One pin, as it is stored: a key of its own, with the name as value. */
export class PinRecord implements Pin {
  readonly mode: PinMode
  readonly id: string
  readonly name: string
  /** A direct pin beside a recursive one of the same CID. */
  readonly shadowed: boolean
  #cid: CID | undefined
  #text: string | undefined

  constructor(mode: PinMode, of: CID | string, name: string, shadowed = false) {
    this.mode = mode
    this.name = name
    this.shadowed = shadowed
    if (typeof of === 'string') this.id = of
    else {
      this.id = idOf(of)
      this.#cid = of
      this.#text = cidToString(of)
    }
  }

  static fromPair(mode: PinMode, { key, value }: { key: Key; value: Uint8Array }): PinRecord {
    const name = key.uint8Array()
    const start = prefixOf(mode).length
    const id = Buffer.from(name.buffer, name.byteOffset + start, name.byteLength - start).toString('latin1')
    return PinRecord.fromValue(mode, id, value)
  }

  static fromValue(mode: PinMode, id: string, value: Uint8Array): PinRecord {
    return new PinRecord(mode, id, value.length <= 1 ? '' : decodeUtf8(value.subarray(1)), ((value[0] ?? 0) & SHADOWED) !== 0)
  }

  get cid(): CID {
    this.#cid ??= decodeCid(new Uint8Array(Buffer.from(this.id, 'base64url')))
    return this.#cid
  }

  get text(): string {
    this.#text ??= cidToString(this.cid)
    return this.#text
  }

  get key(): Key {
    return keyOf(this.mode, this.id)
  }

  get value(): Uint8Array {
    const name = encodeUtf8(this.name)
    const value = new Uint8Array(name.length + 1)
    value[0] = this.shadowed ? SHADOWED : 0
    value.set(name, 1)
    return value
  }

  /** The same pin, with or without a recursive one beside it. */
  beside(shadowed: boolean): PinRecord {
    return new PinRecord(this.mode, this.#cid ?? this.id, this.name, shadowed)
  }
}

export function keyOf(mode: PinMode, id: string): Key {
  return new Key(prefixOf(mode) + id, false)
}
