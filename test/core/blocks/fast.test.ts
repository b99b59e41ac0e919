import test from 'ava'
import type { CID } from 'multiformats/cid'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import type { Blockstore } from '../../../core/index.ts'

/** A store of the ecosystem that keeps what it is given, as the one in memory does. */
class KeepingStore {
  readonly kept: Uint8Array[] = []

  async put(cid: CID, bytes: Uint8Array): Promise<CID> {
    this.kept.push(bytes)
    return cid
  }

  async *putMany(pairs: Iterable<{ cid: CID; bytes: Uint8Array }>): AsyncGenerator<CID> {
    for (const { cid, bytes } of pairs) yield this.put(cid, bytes)
  }
}

test('memory that is used again after a put does not change what any store keeps', async t => {
  const store = new KeepingStore()
  const blocks = fastBlocks(store as unknown as Blockstore)
  const multihash = Uint8Array.of(0x12, 0x20, ...new Uint8Array(32))
  const bytes = Uint8Array.of(1, 2, 3)
  await blocks.putBytes(multihash, bytes)
  await blocks.putAll([{ multihash, bytes }])
  bytes.fill(0)
  t.deepEqual(store.kept, [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)])
})
