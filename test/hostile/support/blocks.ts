import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Target } from './node.ts'

export { fieldOf, unixfs } from '../../core/unixfs/export/blocks.ts'

export const RAW = 0x55
export const DAG_PB = 0x70
export const DAG_CBOR = 0x71
export const DAG_JSON = 0x0129
/** Compressed git objects, as a codec of input alone. */
export const GIT_ZLIB = 0x300078

const NAMES: Readonly<Record<number, string>> = {
  [RAW]: 'raw',
  [DAG_PB]: 'dag-pb',
  [DAG_CBOR]: 'dag-cbor',
  [DAG_JSON]: 'dag-json',
  [GIT_ZLIB]: '0x300078'
}

/** Blocks that a test makes and then puts into a node. */
export class Made {
  readonly #blocks = new Map<number, Uint8Array[]>()

  async add(code: number, bytes: Uint8Array): Promise<CID> {
    const of = this.#blocks.get(code) ?? []
    this.#blocks.set(code, of)
    of.push(bytes)
    return cidOf(code, bytes)
  }

  /** A dag-pb block; links as name, CID and Tsize. */
  pb(data: Uint8Array | undefined, links: ReadonlyArray<readonly [string, CID, number]> = []): Promise<CID> {
    const node = { ...(data && { Data: data }), Links: links.map(([Name, Hash, Tsize]) => ({ Name, Hash, Tsize })) }
    return this.add(DAG_PB, dagPb.encode(dagPb.prepare(node)))
  }

  async into(target: Target): Promise<void> {
    for (const [code, blocks] of this.#blocks) {
      for (let i = 0; i < blocks.length; i += 2000) {
        const parts = blocks.slice(i, i + 2000)
        const answer = await target.ask({ path: `block/put?cid-codec=${NAMES[code]}&allow-big-block=true`, parts })
        if (answer.status !== 200 || answer.error !== undefined) throw new Error(`${answer.status} ${answer.text} ${answer.error}`)
      }
    }
  }
}

export async function cidOf(code: number, bytes: Uint8Array): Promise<CID> {
  return CID.createV1(code, await sha256.digest(bytes))
}

/** A CID that holds its block. */
export function inlined(code: number, bytes: Uint8Array): CID {
  return CID.createV1(code, identity.digest(bytes) as never)
}

/** Puts one block and says its CID. */
export async function stored(target: Target, code: number, bytes: Uint8Array): Promise<string> {
  const made = new Made()
  const cid = await made.add(code, bytes)
  await made.into(target)
  return cid.toString()
}
