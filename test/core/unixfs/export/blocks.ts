import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { blockErrors } from '../../../../core/blocks/errors.ts'
import { Codecs } from '../../../../core/dag/codecs/codecs.ts'
import { codecsWithin } from '../../../../core/dag/codecs/standard.ts'
import type { Codec } from '../../../../core/services/content/dag.ts'
import type { Sources } from '../../../../core/unixfs/export/node.ts'
import { varint } from '../../cid/encoded-varint.ts'

/** Blocks in memory, counted as they are read; they are answered out of order. */
export class Blocks {
  readonly map = new Map<string, Uint8Array>()
  readonly asked: string[] = []
  open = 0
  mostOpen = 0

  async get(cid: CID): Promise<Uint8Array> {
    this.asked.push(cid.toString())
    this.open++
    this.mostOpen = Math.max(this.mostOpen, this.open)
    for (let turns = (this.asked.length * 7) % 5; turns > 0; turns--) await Promise.resolve()
    this.open--
    const bytes = this.map.get(key(cid))
    if (bytes === undefined) throw blockErrors.E_BLOCK_NOT_FOUND(String(cid))
    return bytes
  }

  async put(cid: CID, bytes: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<CID> {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('one piece is expected')
    this.map.set(key(cid), bytes)
    return cid
  }

  delete(cid: CID): void {
    this.map.delete(key(cid))
  }

  async add(code: number, bytes: Uint8Array, version: 0 | 1 = 1): Promise<CID> {
    const digest = await sha256.digest(bytes)
    const cid = CID.create(version, code, digest)
    await this.put(cid, bytes)
    return cid
  }

  /** A dag-pb block; links as name, CID and Tsize. */
  pb(data: Uint8Array | undefined, links: ReadonlyArray<readonly [string, CID, number]> = []): Promise<CID> {
    const node = { ...(data && { Data: data }), Links: links.map(([Name, Hash, Tsize]) => ({ Name, Hash, Tsize })) }
    return this.add(dagPb.code, dagPb.encode(dagPb.prepare(node)))
  }
}

function key(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('base64')
}

export function sourcesOf(blocks: Blocks): Sources {
  const codecs = new Codecs(codecsWithin())
  return { blocks, codecs: { codec: (code: number): Codec => codecs.reader(code) } }
}

/** A UnixFS message. */
export function unixfs(fields: {
  type?: number
  data?: Uint8Array
  size?: bigint
  sizes?: bigint[]
  hash?: number
  fanout?: bigint
}): Uint8Array {
  const { type, data, size, sizes = [], hash, fanout } = fields
  const out: number[] = []
  if (type !== undefined) out.push(0x08, ...varint(BigInt(type)))
  if (data !== undefined) out.push(0x12, ...varint(BigInt(data.length)), ...data)
  if (size !== undefined) out.push(0x18, ...varint(size))
  for (const one of sizes) out.push(0x20, ...varint(one))
  if (hash !== undefined) out.push(0x28, ...varint(BigInt(hash)))
  if (fanout !== undefined) out.push(0x30, ...varint(fanout))
  return Uint8Array.from(out)
}

/** The bit field of a shard in which these slots are taken. */
export function fieldOf(slots: Iterable<number>, fanout = 256): Uint8Array {
  const field = new Uint8Array(fanout / 8)
  for (const slot of slots) field[field.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
  return field
}

/** Bytes that do not repeat within reach of a test. */
export function noise(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let i = 0, state = seed; i < size; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

/** A file of 10^18 bytes or more: of each node there are three in the one above it. `depth`: how many are above its only leaf. */
export async function selfSimilar(blocks: Blocks, content: Uint8Array): Promise<{ cid: CID; size: bigint; depth: bigint }> {
  const type = 2
  let size = BigInt(content.length)
  let depth = 0n
  let cid = await blocks.pb(unixfs({ type, data: content, size }))
  for (; size < 10n ** 18n; size *= 3n, depth++) {
    const child = ['', cid, 1] as [string, CID, number]
    cid = await blocks.pb(unixfs({ type, size: size * 3n, sizes: [size, size, size] }), [child, child, child])
  }
  return { cid, size, depth }
}
