import type { CID } from 'multiformats/cid'
import { decodeCid } from '../cid/parse.ts'
import { dagErrors } from '../dag/errors.ts'
import { messageOf } from '../errors.ts'
import { goQuote } from '../go/quote.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import { carErrors } from './errors.ts'

export interface CarHeader {
  readonly version: number
  readonly roots: readonly CID[]
}

/** Major types of CBOR (RFC 8949). */
const UINT = 0
const BYTES = 2
const TEXT = 3
const LIST = 4
const MAP = 5
const TAG = 6
const SIMPLE = 7

const NULL = 22
const BREAK = 31
const LINK_TAG = 42

/** The start of a CBOR value: its major type, and its value or length; `Infinity` where the end is marked. */
interface Head {
  readonly major: number
  readonly value: number
}

/**
 * The header of a CAR: a map of `roots`, a list of links, and `version`. Both may be missing: no roots, and version 0, which no
 * CAR has. Anything else is refused where it begins, so that a header costs no more than its roots.
 *
 * @throws E_CAR_HEADER, E_CAR_ROOTS
 */
export function decodeHeader(bytes: Uint8Array, maxRoots: number): CarHeader {
  if (bytes.length === 0) throw carErrors.E_CAR_HEADER(dagErrors.E_EOF().message)
  return new HeaderReader(bytes).read(maxRoots)
}

class HeaderReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(maxRoots: number): CarHeader {
    const { value: entries } = this.#expect(MAP, 'start of map')
    let roots: CID[] | undefined
    let version: number | undefined
    for (let i = 0; i < entries && !this.#isBreak(entries); i++) {
      const key = decodeUtf8(this.#take(this.#expect(TEXT, 'map key').value))
      if ((key === 'roots' && roots !== undefined) || (key === 'version' && version !== undefined)) {
        throw carErrors.E_CAR_HEADER(dagErrors.E_MAP_KEY_REPEATED(key).message)
      }
      if (key === 'roots') roots = this.#roots(maxRoots)
      else if (key === 'version') version = this.#expect(UINT, 'uint').value
      else throw unknownKey(key)
    }
    if (this.#at < this.#bytes.length) throw carErrors.E_CAR_HEADER(dagErrors.E_CBOR_TRAILING().message)
    return { version: version ?? 0, roots: roots ?? [] }
  }

  #roots(maxRoots: number): CID[] {
    const head = this.#head()
    if (head.major === SIMPLE && head.value === NULL) return []
    if (head.major !== LIST) throw unexpected(head, 'start of array')
    const roots: CID[] = []
    for (let i = 0; i < head.value && !this.#isBreak(head.value); i++) {
      if (roots.length === maxRoots) throw carErrors.E_CAR_ROOTS(maxRoots)
      roots.push(this.#link())
    }
    return roots
  }

  #link(): CID {
    const tag = this.#expect(TAG, 'link')
    const { value: length } = this.#expect(BYTES, 'link')
    const bytes = this.#take(length)
    if (tag.value !== LINK_TAG) throw carErrors.E_CAR_HEADER(dagErrors.E_CBOR_TAG(tag.value).message)
    if (bytes[0] !== 0) throw carErrors.E_CAR_HEADER(dagErrors.E_CBOR_LINK().message)
    try {
      // A root may be kept longer than the memory of its header; one that is none costs no copy.
      decodeCid(bytes.subarray(1))
      return decodeCid(new Uint8Array(bytes.subarray(1)))
    } catch (error) {
      throw carErrors.E_CAR_HEADER(messageOf(error))
    }
  }

  #expect(major: number, wanted: string): Head {
    const head = this.#head()
    if (head.major !== major) throw unexpected(head, wanted)
    return head
  }

  #head(): Head {
    const first = this.#take(1)[0]!
    const major = first >> 5
    const info = first & 31
    if (info < 24) return { major, value: info }
    if (info === 31) return { major, value: major === LIST || major === MAP ? Number.POSITIVE_INFINITY : info }
    if (info > 27) throw carErrors.E_CAR_HEADER(dagErrors.E_CBOR_DESCRIPTOR(first).message)
    return { major, value: this.#take(2 ** (info - 24)).reduce((sum, byte) => sum * 256 + byte, 0) }
  }

  /** Whether a value without a length ends here. */
  #isBreak(length: number): boolean {
    if (length !== Number.POSITIVE_INFINITY || this.#bytes[this.#at] !== ((SIMPLE << 5) | BREAK)) return false
    this.#at++
    return true
  }

  #take(size: number): Uint8Array {
    if (size > this.#bytes.length - this.#at) throw carErrors.E_CAR_HEADER(dagErrors.E_UNEXPECTED_EOF().message)
    this.#at += size
    return this.#bytes.subarray(this.#at - size, this.#at)
  }
}

/** How the reference's decoder calls what it meets, by major type (refmt 0.89). */
const TOKENS = ['uint', 'int', 'bytes', 'string', 'array open', 'map open', 'tag', 'simple value'] as const

function unexpected({ major, value }: Head, wanted: string): Error {
  const token = major === SIMPLE && value === NULL ? 'null' : TOKENS[major]!
  return carErrors.E_CAR_HEADER(`malformed stream: invalid appearance of ${token} token; expected ${wanted}`)
}

function unknownKey(key: string): Error {
  const why = `stream contains key ${goQuote(key)}, but there's no such field in structs of type carv1.CarHeader`
  return carErrors.E_CAR_HEADER(`unmarshal error: ${why}`)
}
