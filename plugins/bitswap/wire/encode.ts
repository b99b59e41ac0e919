import type { CID } from 'multiformats/cid'
import { varintSize, writeVarint } from '../../../core/cid/varint.ts'
import type { Outgoing, Presence, WantEntry } from './message.ts'

/** Protobuf tags: the number of the field × 8 + the wire type. */
const TAG = {
  wantlist: 0x0a,
  plainBlock: 0x12,
  block: 0x1a,
  presence: 0x22,
  entry: 0x0a,
  cid: 0x0a,
  priority: 0x10,
  cancel: 0x18,
  kind: 0x20,
  sendDontHave: 0x28,
  prefix: 0x0a,
  data: 0x12,
  have: 0x10
} as const

/** Bytes of a length-delimited field. */
const fieldSize = (length: number) => 1 + varintSize(length) + length

function entrySize({ cid, priority, cancel, kind, sendDontHave }: WantEntry): number {
  const number = priority === 0 ? 0 : 1 + varintSize(priority)
  return fieldSize(cid.bytes.length) + number + (cancel ? 2 : 0) + (kind === 'have' ? 2 : 0) + (sendDontHave ? 2 : 0)
}

const presenceSize = ({ cid, have }: Presence) => fieldSize(cid.bytes.length) + (have ? 0 : 2)

function prefixOf({ version, code, multihash }: CID): Uint8Array {
  const parts = [version, code, multihash.code, multihash.size]
  const prefix = new Uint8Array(parts.reduce((sum, part) => sum + varintSize(part), 0))
  let at = 0
  for (const part of parts) at = writeVarint(part, prefix, at)
  return prefix
}

/** Bytes of a block from which on it is cheaper not to copy it. */
const LARGE_BLOCK = 16 * 1024

/** {@link encodeParts}, as one. */
export function encodeMessage(message: Outgoing, plain = false): Uint8Array {
  return Buffer.concat(encodeParts(message, plain))
}

/**
 * A message with its length before it, as parts of which the large blocks are some.
 *
 * @param plain - for the first version of the protocol, whose blocks have no prefix
 */
export function encodeParts({ wants, presences, blocks }: Outgoing, plain = false): Uint8Array[] {
  const prefixes = blocks.map(({ cid }) => (plain ? undefined : prefixOf(cid)))
  const blockSize = (i: number) => {
    const { length } = blocks[i]!.bytes
    return prefixes[i] === undefined ? length : fieldSize(prefixes[i].length) + fieldSize(length)
  }
  const wantlist = wants.reduce((sum, entry) => sum + fieldSize(entrySize(entry)), 0)
  let size = wantlist > 0 ? fieldSize(wantlist) : 0
  for (let i = 0; i < blocks.length; i++) size += fieldSize(blockSize(i))
  for (const presence of presences) size += fieldSize(presenceSize(presence))
  const apart = blocks.reduce((sum, block) => sum + (block.bytes.length < LARGE_BLOCK ? 0 : block.bytes.length), 0)
  const bytes = Buffer.allocUnsafeSlow(varintSize(size) + size - apart)
  const parts: Uint8Array[] = []
  let begin = 0
  let at = writeVarint(size, bytes, 0)
  const start = (tag: number, length: number) => {
    bytes[at] = tag
    at = writeVarint(length, bytes, at + 1)
  }
  const put = (tag: number, content: Uint8Array) => {
    start(tag, content.length)
    bytes.set(content, at)
    at += content.length
  }
  const putBlock = (tag: number, content: Uint8Array) => {
    if (content.length < LARGE_BLOCK) return put(tag, content)
    start(tag, content.length)
    parts.push(bytes.subarray(begin, at), content)
    begin = at
  }
  const number = (tag: number, value: number) => {
    bytes[at] = tag
    at = writeVarint(value, bytes, at + 1)
  }
  if (wantlist > 0) start(TAG.wantlist, wantlist)
  for (const entry of wants) {
    start(TAG.entry, entrySize(entry))
    put(TAG.cid, entry.cid.bytes)
    if (entry.priority !== 0) number(TAG.priority, entry.priority)
    if (entry.cancel) number(TAG.cancel, 1)
    if (entry.kind === 'have') number(TAG.kind, 1)
    if (entry.sendDontHave) number(TAG.sendDontHave, 1)
  }
  for (const [i, block] of blocks.entries()) {
    const prefix = prefixes[i]
    if (prefix === undefined) putBlock(TAG.plainBlock, block.bytes)
    else {
      start(TAG.block, blockSize(i))
      put(TAG.prefix, prefix)
      putBlock(TAG.data, block.bytes)
    }
  }
  for (const presence of presences) {
    start(TAG.presence, presenceSize(presence))
    put(TAG.cid, presence.cid.bytes)
    if (!presence.have) number(TAG.have, 1)
  }
  if (begin < at) parts.push(bytes.subarray(begin))
  return parts
}
