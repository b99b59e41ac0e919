import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { joined } from '../../../core/blocks/bytes.ts'
import { Misbehaviour, Unavailable } from './errors.ts'

/** A block as an archive has it, not held against its CID. */
export interface Section {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** Longest header of an archive, and longest CID in it, in bytes. */
const HEADER = 1 << 20
const LONGEST_CID = 512
/** Longest varint of a length that is worth reading, in bytes. */
const LONGEST_VARINT = 5

/**
 * Reads a CAR of version 1 as it comes. A block has memory of its own.
 *
 * @see https://ipld.io/specs/transport/car/carv1
 */
export class ArchiveReader {
  readonly #input: Input
  readonly #most: number
  #begun = false

  /** @param most - most bytes of a block */
  constructor(chunks: AsyncIterator<Uint8Array>, most: number) {
    this.#input = new Input(chunks)
    this.#most = most
  }

  /**
   * The next block.
   *
   * @returns undefined at the end
   * @throws Misbehaviour for what is no archive, Unavailable where it breaks off
   */
  async next(): Promise<Section | undefined> {
    if (!this.#begun) await this.#header()
    const size = await this.#varint()
    if (size === undefined) return undefined
    if (size > this.#most + LONGEST_CID) throw new Misbehaviour(`sent a CAR with a section of ${size} bytes`)
    const section = await this.#input.take(size)
    try {
      const [cid, bytes] = CID.decodeFirst(section)
      // a CID that is kept does not keep its section
      return { cid: CID.decode(new Uint8Array(cid.bytes)), bytes }
    } catch (error) {
      throw malformed((error as Error).message)
    }
  }

  async #header(): Promise<void> {
    const size = await this.#varint()
    if (size === undefined) throw malformed('it is empty')
    if (size > HEADER) throw malformed(`its header has ${size} bytes`)
    const bytes = await this.#input.take(size)
    let header: unknown
    try {
      header = dagCbor.decode(bytes)
    } catch (error) {
      throw malformed((error as Error).message)
    }
    const { version } = (header ?? {}) as { version?: unknown }
    if (version !== 1) throw malformed(`its version is ${String(version)}`)
    this.#begun = true
  }

  /** @returns undefined at the end */
  async #varint(): Promise<number | undefined> {
    let value = 0
    for (let at = 0; at < LONGEST_VARINT; at++) {
      const byte = await this.#input.byte()
      if (byte === undefined) {
        if (at === 0) return undefined
        throw brokenOff()
      }
      value += (byte & 0x7f) * 2 ** (7 * at)
      if (byte < 0x80) {
        if (value === 0) throw malformed('a section of it is empty')
        return value
      }
    }
    throw malformed('a length in it is none')
  }
}

function malformed(why: string): Misbehaviour {
  return new Misbehaviour(`sent a CAR that is none: ${why}`)
}

/** The error of an archive that ends in the middle. */
export function brokenOff(): Unavailable {
  return new Unavailable('broke off', { passing: true })
}

/** Takes bytes off chunks of any length. */
class Input {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks
  }

  async byte(): Promise<number | undefined> {
    return this.#at < this.#chunk.length || (await this.#more()) ? this.#chunk[this.#at++] : undefined
  }

  /** That many bytes, in memory of their own. Memory is taken as they come. */
  async take(size: number): Promise<Uint8Array> {
    const first = new Uint8Array(this.#chunk.subarray(this.#at, this.#at + size))
    this.#at += first.length
    if (first.length === size) return first
    const parts = [first]
    for (let have = first.length; have < size; ) {
      if (!(await this.#more())) throw brokenOff()
      const part = new Uint8Array(this.#chunk.subarray(0, size - have))
      this.#at = part.length
      have += part.length
      parts.push(part)
    }
    return joined(parts)
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done) return false
      if (value.length === 0) continue
      this.#chunk = value
      this.#at = 0
      return true
    }
  }
}
