import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../../core/cid/parse.ts'
import type { Body, BodyPart } from '../../../../core/contract/body.ts'
import type { ImportEvent, ImportOptions } from '../../../../core/services/content/unixfs.ts'
import { importTree } from '../../../../core/unixfs/import/tree.ts'
import type { ImportStore } from '../../../../core/unixfs/import/writer.ts'

export type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Files by path; `null` is a folder. */
export async function* uploadOf(parts: Iterable<readonly [path: string, source: string | Uint8Array | Source | null]>): Body {
  for (const [path, source] of parts) yield partOf(path, source === null ? 'directory' : 'file', source ?? [])
}

export function partOf(path: string, kind: BodyPart['kind'], source: string | Uint8Array | Source): BodyPart {
  return {
    path: `/${path}`,
    kind,
    headers: {},
    async *bytes() {
      if (typeof source === 'string') yield Buffer.from(source)
      else if (source instanceof Uint8Array) yield source
      else yield* source
    }
  }
}

/** `bytes` in pieces, as a socket hands them over. */
export function* inPieces(bytes: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export interface Options extends ImportOptions {
  readonly shardingThreshold: number
}

export const defaults: Options = {
  chunker: 'size-262144',
  layout: 'balanced',
  rawLeaves: false,
  cidVersion: 0,
  hash: 0x12,
  wrap: false,
  shardingThreshold: 262_144
}

/** Keeps copies of blocks by their CID's text, as the importer uses their memory again. */
export class MapStore implements ImportStore {
  readonly blocks = new Map<string, Uint8Array>()

  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    await Promise.resolve()
    if (cid.multihash.code !== 0) this.blocks.set(cidToString(cid), new Uint8Array(bytes))
  }
}

/** What an import tells until its end or an error, and the error's message. Without a store nothing is kept. */
export async function imported(body: Body, given: Partial<Options> = {}, store?: ImportStore) {
  const { shardingThreshold, ...options } = { ...defaults, onlyHash: store === undefined, ...given }
  const target = { store: store ?? new MapStore(), sharding: { threshold: shardingThreshold, estimation: 'links' } as const }
  const events: ImportEvent[] = []
  try {
    for await (const event of importTree(body, target, options)) events.push(event)
    return { events, error: undefined }
  } catch (error) {
    return { events, error: (error as Error).message }
  }
}

/** The CID of the last entry at the top. */
export async function rootOf(body: Body, options: Partial<Options> = {}, store?: ImportStore): Promise<CID> {
  const { events, error } = await imported(body, options, store)
  const root = events.findLast(event => event.type !== 'progress' && event.top !== undefined)
  if (root === undefined) throw new Error(error)
  return (root as { cid: CID }).cid
}
