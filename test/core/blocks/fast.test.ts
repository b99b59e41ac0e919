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

/** A store far away, whose `putMany` puts one block after the other as that of the ecosystem's base class does. */
class FarStore extends KeepingStore {
  #atOnce = 0
  most = 0

  override async put(cid: CID, bytes: Uint8Array): Promise<CID> {
    this.most = Math.max(this.most, ++this.#atOnce)
    await new Promise(resolve => setImmediate(resolve))
    this.#atOnce--
    return super.put(cid, bytes)
  }
}

for (const [count, most] of [
  [0, 0],
  [5, 5],
  [128, 32],
  [150, 30]
] as const) {
  test(`of ${count} blocks that are put together, ${most} are on their way at a time`, async t => {
    const store = new FarStore()
    const all = Array.from({ length: count }, (_, i) => ({ multihash: Uint8Array.of(0, 1, i), bytes: Uint8Array.of(i) }))
    await fastBlocks(store as unknown as Blockstore).putAll(all)
    t.is(store.most, most)
    t.deepEqual(
      store.kept.map(([first]) => first!).sort((one, other) => one - other),
      Array.from(all.keys())
    )
  })
}
