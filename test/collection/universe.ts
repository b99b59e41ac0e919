import { createHash } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import type { Random } from './random.ts'

const RAW = 0x55

/** A block, what it links to, and all that is below it with itself, children first. */
export interface Vertex {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly graph: readonly Vertex[]
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}

function vertex(code: number, bytes: Uint8Array, children: readonly Vertex[]): Vertex {
  const graph: Vertex[] = []
  const made: Vertex = { cid: CID.createV1(code, create(0x12, sha256(bytes))), bytes, graph }
  const seen = new Set<Vertex>()
  for (const below of children.flatMap(child => child.graph)) if (!seen.has(below)) seen.add(below)
  graph.push(...seen, made)
  return made
}

export function leaf(text: string): Vertex {
  return vertex(RAW, Buffer.from(text), [])
}

export function node(name: string, children: readonly Vertex[]): Vertex {
  return vertex(dagCbor.code, dagCbor.encode({ name, links: children.map(({ cid }) => cid) }), children)
}

/** Graphs that share most of their blocks. */
export function universe(random: Random): Vertex[] {
  const all = Array.from({ length: 6 }, (_, i) => leaf(`leaf ${i}`))
  for (let i = 0; i < 12; i++) {
    const children = Array.from({ length: 1 + random.below(3) }, () => random.pick(all))
    all.push(node(`node ${i}`, [...new Set(children)]))
  }
  return all
}

/** Read anew from the bytes, by the ecosystem's codecs. */
export function linksOf(cid: CID, bytes: Uint8Array): CID[] {
  if (cid.code === dagPb.code) return dagPb.decode(bytes).Links.map(({ Hash }) => Hash as CID)
  if (cid.code === dagCbor.code) return (dagCbor.decode(bytes) as { links: CID[] }).links
  return []
}

/** A CAR of version 1 with one root. */
export function car({ cid, graph }: Vertex): Uint8Array {
  const section = (...parts: readonly Uint8Array[]) => {
    const body = Buffer.concat(parts)
    const length: number[] = []
    for (let remaining = body.length; ; remaining >>>= 7) {
      length.push(remaining > 127 ? (remaining & 127) | 128 : remaining)
      if (remaining < 128) break
    }
    return Buffer.concat([Uint8Array.from(length), body])
  }
  return Buffer.concat([section(dagCbor.encode({ version: 1, roots: [cid] })), ...graph.map(one => section(one.cid.bytes, one.bytes))])
}
