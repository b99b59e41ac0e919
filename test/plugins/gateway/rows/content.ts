import * as dagCbor from '@ipld/dag-cbor'
import { encode, prepare } from '@ipld/dag-pb'
import type { ExecutionContext } from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { base16 } from 'multiformats/bases/base16'
import { base32upper } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import { DAG_CBOR, DAG_JSON, DAG_PB } from '../../../../core/cid/index.ts'
import { type World, type WorldOptions, world } from '../world.ts'
import type { Setting } from './table.ts'

const CBOR = 0x51
const JSON_CODEC = 0x0200
/** A block that is nowhere. */
export const MISSING = 'bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy'
export const IMMUTABLE = 'public, max-age=29030400, immutable'
export const WEEK = 'public, max-age=604800, stale-while-revalidate=2678400'

export interface LinkTo {
  readonly name: string
  readonly cid: string
  readonly size?: number
}

/** Stores a node of UnixFS that is made by hand. @returns its CID */
export function putUnixFs(at: World, node: UnixFS, links: readonly LinkTo[] = []): Promise<string> {
  const Links = links.map(({ name, cid, size = 1 }) => ({ Name: name, Tsize: size, Hash: CID.parse(cid) }))
  return at.put(encode(prepare({ Data: node.marshal(), Links })), DAG_PB)
}

/** A folder of what may not be there. */
export const putFolder = (at: World, links: readonly LinkTo[]) => putUnixFs(at, new UnixFS({ type: 'directory' }), links)

/** A file of chunks, some of which may not be there, each of so many bytes. */
export function putFile(at: World, chunks: readonly string[], each: number): Promise<string> {
  const node = new UnixFS({ type: 'file' })
  for (const _ of chunks) node.addBlockSize(BigInt(each))
  return putUnixFs(
    at,
    node,
    chunks.map(cid => ({ name: '', cid, size: each }))
  )
}

/** A node with one of everything. */
export async function content(t: Pick<ExecutionContext, 'teardown'>, options: WorldOptions = {}): Promise<Setting> {
  const at = await world(t, options)
  const { root, cids } = await at.add(FILES, { cidVersion: 1, chunker: 'size-1000' })
  const file = (name: string) => cids.get(name)!
  const old = await at.add({ 'index.html': 'old', 'docs/x.txt': 'x' }, { cidVersion: 0 })
  const LINK = await putUnixFs(at, new UnixFS({ type: 'symlink', data: Buffer.from('docs/x.txt') }))
  const link = CID.parse(file('a.txt'))
  const DAGCBOR = await at.put(dagCbor.encode({ file: link, map: { n: 1 }, text: '<b>' }), DAG_CBOR)
  const DAGJSON = await at.put(Buffer.from(JSON.stringify({ file: { '/': String(link) }, n: 1 })), DAG_JSON)
  const v1 = CID.parse(root)
  return {
    at,
    names: {
      SITE: root,
      A: file('a.txt'),
      BIG: file('big.bin'),
      DOCS: file('docs'),
      X: file('docs/x.txt'),
      EMPTY: file('empty'),
      PLAIN: file('plain'),
      OLD: old.root,
      OLD_V1: CID.parse(old.root).toV1().toString(),
      SITE_BASE16: v1.toString(base16),
      SITE_BASE36: v1.toString(base36),
      SITE_BASE58: v1.toString(base58btc),
      SITE_BASE64URL: v1.toString(base64url),
      SITE_UPPER: v1.toString(base32upper),
      LINK,
      WITH_LINK: await putFolder(at, [{ name: 'latest', cid: LINK }]),
      MISSING,
      NOT_UNIXFS: await at.put(encode(prepare({ Data: Buffer.from('no UnixFS'), Links: [] })), DAG_PB),
      DAGCBOR,
      DAGJSON,
      JSON: await at.put(Buffer.from('{"a":1}'), JSON_CODEC),
      CBOR: await at.put(Uint8Array.of(0xa1, 0x61, 0x61, 0x01), CBOR)
    }
  }
}

export const FILES = {
  'index.html': '<!doctype html><title>home</title>',
  'a.txt': 'hello gateway\n',
  'big.bin': Buffer.alloc(2500, 'abcdefghij'),
  'no ending': '{"a":[1,2]}',
  'Portugal%2C+España=Peninsula Ibérica.txt': 'comma',
  'a%41.txt': 'percent',
  empty: '',
  'plain/one.txt': 'one',
  'docs/x.txt': 'x',
  'docs/<b>"\'#?%.txt': 'escaped',
  'docs/ą/ę/file-źł.txt': 'polish',
  'bad/index.html/inner.txt': 'a folder named as a page',
  'ipfs/inner.txt': 'a folder named as a namespace'
}
