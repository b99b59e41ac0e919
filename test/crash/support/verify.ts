/** Looks at a node from outside: what is pinned, what is stored, and whether it is what its CID says. */
import { createHash } from 'node:crypto'
import { decode as decodeCbor } from '@ipld/dag-cbor'
import { decode as decodePb } from '@ipld/dag-pb'
import { blake2b } from '@noble/hashes/blake2.js'
import { equals } from 'multiformats/bytes'
import { CID } from 'multiformats/cid'
import { keyOf, type PinState, type State } from './expected.ts'
import { blockOf, lines, post, Refused } from './rpc.ts'

const RAW = 0x55
const DAG_PB = 0x70
const DAG_CBOR = 0x71
const AT_A_TIME = 8

export async function pinsOf(url: string): Promise<Map<string, PinState>> {
  const pins = new Map<string, PinState>()
  for (const mode of ['direct', 'recursive'] as const) {
    const { Keys = {} } = JSON.parse(await post(url, `pin/ls?type=${mode}&names=true`)) as { Keys?: Record<string, { Name: string }> }
    for (const [cid, { Name }] of Object.entries(Keys)) pins.set(cid, `${mode} ${Name}`)
  }
  return pins
}

/** The digests of all files of the mutable tree, each read to its end, and the CID versions of directories that were made by themselves. */
export async function filesOf(url: string, folder = '/'): Promise<Map<string, State>> {
  const files = new Map<string, State>()
  const { Entries } = JSON.parse(await post(url, `files/ls?long=true&arg=${folder}`)) as {
    Entries: Array<{ Name: string; Type: number; Hash: string }> | null
  }
  for (const { Name, Type, Hash } of Entries ?? []) {
    const path = `${folder}${Name}`
    if (path.startsWith('/made-')) files.set(path, Hash.startsWith('Qm') ? 'v0' : 'v1')
    else if (Type === 1) for (const [inner, state] of await filesOf(url, `${path}/`)) files.set(inner, state)
    else files.set(path, await fileState(url, path))
  }
  return files
}

async function fileState(url: string, path: string): Promise<State> {
  const response = await fetch(`${url}/api/v0/files/read?arg=${path}`, { method: 'POST' })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) throw new Refused(`files/read ${path}`, response.status, Buffer.from(bytes).toString())
  return stateOf(bytes)
}

/** What a file with this content is expected to be. */
export function stateOf(content: Uint8Array): State {
  return createHash('sha256').update(content).digest('hex')
}

/** Where the node's own name leads. */
export async function nameOf(url: string): Promise<string> {
  return (JSON.parse(await post(url, 'name/resolve')) as { Path: string }).Path
}

export async function storedBlocks(url: string): Promise<Set<string>> {
  return new Set(lines<{ Ref: string }>(await post(url, 'refs/local')).map(({ Ref }) => keyOf(Ref)))
}

/** Every block of the graph, each held against its hash. @returns their keys @throws for the first that is missing or damaged */
export async function walkGraph(url: string, root: string): Promise<string[]> {
  const keys = new Set<string>()
  const open = [CID.parse(root)]
  while (open.length > 0) {
    const cids = open.splice(0, AT_A_TIME)
    const blocks = await Promise.all(cids.map(cid => wholeBlock(url, cid)))
    for (const [i, cid] of cids.entries()) {
      keys.add(keyOf(cid.toString()))
      for (const link of linksOf(cid, blocks[i]!)) if (!keys.has(keyOf(link.toString()))) open.push(link)
    }
  }
  return [...keys]
}

/**
 * Every stored block is what its CID says. Blocks that a power loss tore are dropped when somebody asks for them, so that one which is
 * listed may be missing; but then it is listed no longer.
 */
export async function rehashAll(url: string): Promise<void> {
  const missing: string[] = []
  const left = (await storedBlocks(url)).values()
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const key = next.value
      await wholeBlock(url, CID.parse(key)).catch(error => {
        if (!(error instanceof Refused) || !error.message.includes('not found')) throw error
        missing.push(key)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  const now = missing.length > 0 ? await storedBlocks(url) : new Set()
  const lost = missing.find(key => now.has(key))
  if (lost !== undefined) throw new Error(`${lost} is listed, and is not there`)
}

/** Hash functions that these suites use, by their codes. */
const DIGESTS: Readonly<Record<number, (bytes: Uint8Array) => Uint8Array>> = {
  18: bytes => createHash('sha256').update(bytes).digest(),
  19: bytes => createHash('sha512').update(bytes).digest(),
  45600: bytes => blake2b(bytes, { dkLen: 32 })
}

async function wholeBlock(url: string, cid: CID): Promise<Uint8Array> {
  const bytes = await blockOf(url, cid.toString())
  const digest = DIGESTS[cid.multihash.code]?.(bytes)
  if (digest === undefined || !equals(digest, cid.multihash.digest)) throw new Error(`${cid}: ${bytes.length} bytes of another block`)
  return bytes
}

function linksOf({ code }: CID, bytes: Uint8Array): CID[] {
  if (code === DAG_PB) return decodePb(bytes).Links.map(({ Hash }) => Hash)
  if (code === DAG_CBOR) return cidsIn(decodeCbor(bytes))
  if (code === RAW) return []
  throw new Error(`a codec that nobody wrote: ${code}`)
}

function cidsIn(node: unknown): CID[] {
  const cid = CID.asCID(node)
  if (cid !== null) return [cid]
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(cidsIn) : []
}
