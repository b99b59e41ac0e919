import type { CID } from 'multiformats/cid'
import { decodeCid } from '../../../core/cid/parse.ts'
import { readVarint } from '../../../core/cid/varint.ts'
import { FIXED_32, FIXED_64, LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../core/dag/protobuf.ts'
import { messageOf } from '../../../core/index.ts'
import { bitswapErrors } from '../errors.ts'
import { MOST_PARTS, type Prefix, type Presence, type Received, type WantEntry, type WireBlock } from './message.ts'

/** Most fields of what stands for one want, answer or block, of a want list besides its entries, and want lists of a message: what is defined there, and later additions. */
export const MOST_FIELDS = 64

/** A field of a protobuf message: a number, or what stands between `at` and `end`. */
interface Field {
  readonly number: number
  readonly value: number | bigint
  readonly at: number
  readonly end: number
}

/** The fields of a protobuf message, at most so many; those with numbers that are not known may be passed over. */
function* fieldsOf(bytes: Uint8Array, from: number, to: number, most = MOST_FIELDS): Generator<Field> {
  const wire = new ProtobufReader(bytes, from, to)
  for (let count = 1; wire.at < to; count++) {
    if (count > most) throw bitswapErrors.E_BITSWAP_MESSAGE(`it has more than ${most} fields in one`)
    const tag = wire.tag()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case VARINT:
        yield { number, value: wire.number(), at: wire.at, end: wire.at }
        break
      case LENGTH_DELIMITED: {
        const end = wire.delimited()
        yield { number, value: 0, at: wire.at, end }
        wire.at = end
        break
      }
      case FIXED_64:
        wire.at += 8
        break
      case FIXED_32:
        wire.at += 4
        break
      default:
        throw bitswapErrors.E_BITSWAP_MESSAGE(`a field has the wire type ${tag % 8}`)
    }
    if (wire.at > to) throw bitswapErrors.E_BITSWAP_MESSAGE('a field goes beyond its end')
  }
}

/**
 * Reads a message. Data of blocks are views of `bytes`, CIDs are copies.
 *
 * @throws E_BITSWAP_MESSAGE
 */
export function decodeMessage(bytes: Uint8Array): Received {
  return reading(() => {
    const blocks: WireBlock[] = []
    const presences: Presence[] = []
    const wantlists: Array<{ at: number; end: number }> = []
    let full = false
    let entries = 0
    for (const { number, at, end } of fieldsOf(bytes, 0, bytes.length, MOST_PARTS)) {
      if (number === 1) {
        // a message has one, and parts of it are put together
        if (wantlists.push({ at, end }) > MOST_FIELDS)
          throw bitswapErrors.E_BITSWAP_MESSAGE(`it has more than ${MOST_FIELDS} fields with want lists`)
        const list = looked(bytes, at, end)
        full = list.full ?? full
        entries += list.entries
      } else if (number === 2) blocks.push({ prefix: undefined, data: bytes.subarray(at, end) })
      else if (number === 3) blocks.push(blockOf(bytes, at, end))
      else if (number === 4) presences.push(presenceOf(bytes, at, end))
    }
    const isEmpty = entries + blocks.length + presences.length === 0
    return { wants: () => wantsOf(bytes, wantlists), full, blocks, presences, isEmpty }
  })
}

/** How many entries a want list has, and whether it is full; undefined where it does not say. */
function looked(bytes: Uint8Array, from: number, to: number): { readonly entries: number; readonly full: boolean | undefined } {
  let full: boolean | undefined
  let [entries, others] = [0, 0]
  for (const { number, value } of fieldsOf(bytes, from, to, Number.POSITIVE_INFINITY)) {
    if (number === 1) entries++
    else if (++others > MOST_FIELDS)
      throw bitswapErrors.E_BITSWAP_MESSAGE(`its want list has more than ${MOST_FIELDS} fields besides entries`)
    if (number === 2) full = value !== 0
  }
  return { entries, full }
}

function* wantsOf(bytes: Uint8Array, lists: ReadonlyArray<{ at: number; end: number }>): Generator<WantEntry> {
  for (const list of lists) {
    for (const { number, at, end } of fieldsOf(bytes, list.at, list.end, Number.POSITIVE_INFINITY)) {
      if (number === 1) yield reading(() => entryOf(bytes, at, end))
    }
  }
}

function entryOf(bytes: Uint8Array, from: number, to: number): WantEntry {
  let cid: CID | undefined
  let priority = 0
  let cancel = false
  let kind: WantEntry['kind'] = 'block'
  let sendDontHave = false
  for (const { number, value, at, end } of fieldsOf(bytes, from, to)) {
    if (number === 1) cid = cidOf(bytes, at, end)
    else if (number === 2) priority = Number(value)
    else if (number === 3) cancel = value !== 0
    else if (number === 4) kind = value === 1 ? 'have' : 'block'
    else if (number === 5) sendDontHave = value !== 0
  }
  if (cid === undefined) throw bitswapErrors.E_BITSWAP_MESSAGE('an entry of the want list has no CID')
  return { cid, priority, cancel, kind, sendDontHave }
}

function presenceOf(bytes: Uint8Array, from: number, to: number): Presence {
  let cid: CID | undefined
  let have = true
  for (const { number, value, at, end } of fieldsOf(bytes, from, to)) {
    if (number === 1) cid = cidOf(bytes, at, end)
    else if (number === 2) have = value === 0
  }
  if (cid === undefined) throw bitswapErrors.E_BITSWAP_MESSAGE('a block presence has no CID')
  return { cid, have }
}

function blockOf(bytes: Uint8Array, from: number, to: number): WireBlock {
  let prefix: Prefix | undefined
  let data = new Uint8Array()
  for (const { number, at, end } of fieldsOf(bytes, from, to)) {
    if (number === 1) prefix = prefixOf(bytes.subarray(at, end))
    else if (number === 2) data = bytes.subarray(at, end) as Uint8Array<ArrayBuffer>
  }
  if (prefix === undefined) throw bitswapErrors.E_BITSWAP_MESSAGE('a block has no prefix')
  return { prefix, data }
}

function prefixOf(bytes: Uint8Array): Prefix {
  let at = 0
  const next = () => {
    const { value, size } = readVarint(bytes, at)
    at += size
    return value
  }
  const [version, codec, hash, size] = [next(), next(), next(), next()]
  return { version, codec, hash, size }
}

const cidOf = (bytes: Uint8Array, at: number, end: number) => decodeCid(bytes.slice(at, end))

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if ((error as { code?: unknown }).code === 'E_BITSWAP_MESSAGE') throw error
    throw bitswapErrors.E_BITSWAP_MESSAGE(messageOf(error))
  }
}
