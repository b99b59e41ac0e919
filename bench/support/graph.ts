import { join } from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { RAW, SHA2_256, sumCid } from '../../core/cid/index.ts'
import type { StoredBlock } from '../../core/index.ts'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { benchFolder, startNode } from './node.ts'

/** Links of a node, as `add` makes them. */
const WIDTH = 174
const PUT_AT_ONCE = 1024

export interface GraphBlock {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** A raw block of 100 bytes that only depends on its name. */
export function leafOf(name: string): GraphBlock {
  return blockOf(RAW, Buffer.from(name.padEnd(100, '.')))
}

/** Leaves below nodes below one root, which comes last. */
export function* graphOf(leaves: number, leaf = leafOf): Generator<GraphBlock> {
  let links: CID[] = []
  for (let i = 0; i < leaves; i++) {
    const block = leaf(`kept ${i}`)
    links.push(block.cid)
    yield block
  }
  while (links.length > 1) {
    const above: CID[] = []
    for (let at = 0; at < links.length; at += WIDTH) {
      const Links = links.slice(at, at + WIDTH).map(Hash => ({ Hash, Name: '', Tsize: 100 }))
      const node = blockOf(dagPb.code, dagPb.encode({ Links }))
      above.push(node.cid)
      yield node
    }
    links = above
  }
}

/** A repo that a node made, with these blocks in it. `finish` may put more beside them. */
export async function repoWith(
  blocks: Iterable<GraphBlock>,
  finish: (last: CID, storage: Storage) => Promise<void> = async () => {}
): Promise<{ repo: string; last: CID }> {
  const repo = join(await benchFolder(), 'repo')
  await (await startNode(repo)).stop()
  const storage = new Storage(repo, storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  let batch: StoredBlock[] = []
  let last: CID | undefined
  for (const { cid, bytes } of blocks) {
    last = cid
    if (batch.push({ multihash: cid.multihash.bytes, bytes }) < PUT_AT_ONCE) continue
    await store.putAll(batch)
    batch = []
  }
  await store.putAll(batch)
  await finish(last!, storage)
  await storage.close()
  return { repo, last: last! }
}

export function blockOf(codec: number, bytes: Uint8Array): GraphBlock {
  return { cid: sumCid({ version: 1, codec, hash: SHA2_256 }, bytes), bytes }
}
