import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { RocksBlockstore } from '../../../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { fileValue } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { storageSettings } from '../../../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../../../plugins/storage-rocksdb/storage.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

interface Block {
  readonly multihash: Uint8Array
  readonly bytes: Uint8Array
}

function block(text: string): Block {
  const bytes = Buffer.from(text)
  return { multihash: Buffer.concat([Buffer.of(0x12, 32), createHash('sha256').update(bytes).digest()]), bytes }
}

async function withStore(t: ExecutionContext, work: (store: RocksBlockstore, storage: Storage) => Promise<void>): Promise<void> {
  const folder = await temporaryFolder(t)
  const storage = new Storage(folder, storageSettings.parse({}))
  await storage.open()
  try {
    await work(new RocksBlockstore(storage), storage)
  } finally {
    await storage.close()
  }
}

test('cold blocks push nothing out of memory, and are read all the same', t =>
  withStore(t, async (store, { kept }) => {
    const [warm, cold] = [block('warm'), block('cold')]
    await store.putAll([warm])
    await store.putAll([cold], { cold: true })
    t.deepEqual([kept.knows(warm.multihash), kept.knows(cold.multihash)], [true, false])
    t.is(store.atHand(cold.multihash), undefined)
    t.deepEqual(await store.getBytes(cold.multihash), new Uint8Array(cold.bytes))
    t.true(kept.knows(cold.multihash), 'what is read is kept as always')
  }))

test('a cold block that is kept already is kept as it was written last', t =>
  withStore(t, async (_, { database, kept }) => {
    const { multihash, bytes } = block('once large')
    // a file of 9 bytes
    await database.write([{ family: 'blocks', key: multihash, value: Buffer.from([1, 0, 0, 0, 0, 0, 9]) }])
    await database.write([{ family: 'blocks', key: multihash, value: Buffer.concat([Buffer.of(0), bytes]), cold: true }])
    t.deepEqual(kept.bytesAtHand(multihash), new Uint8Array(bytes))
  }))

test('blocks that are known to be there are not written again, until they are removed', t =>
  withStore(t, async (store, { database }) => {
    const [one, other] = [block('one'), block('other')]
    const written: string[] = []
    database.onWritten(writes =>
      written.push(...writes.filter(({ value }) => value !== undefined).map(({ value }) => String(value!.subarray(1))))
    )
    await store.putAll([one])
    await store.putAll([one, other])
    t.deepEqual(written, ['one', 'other'])
    await store.deleteAll([one.multihash])
    await store.putAll([one, other])
    t.deepEqual(written, ['one', 'other', 'one'])
    t.deepEqual(await store.getBytes(one.multihash), new Uint8Array(one.bytes))
  }))

for (const [how, put] of [
  ['together', (store, block) => store.putAll([block])],
  ['together, cold', (store, block) => store.putAll([block], { cold: true })],
  ['alone', (store, { multihash, bytes }) => store.putBytes(multihash, bytes)]
] as ReadonlyArray<[string, (store: RocksBlockstore, block: Block) => Promise<void>]>) {
  test(`a small block whose file is lost is stored anew where its key is known: ${how}`, t =>
    withStore(t, async (store, { database }) => {
      const lost = block('lost file')
      // as a repo of the reference that moved in has it
      await database.write([{ family: 'blocks', key: lost.multihash, value: fileValue(lost.bytes.byteLength) }])
      t.is(await store.getBytes(lost.multihash), undefined)
      await put(store, lost)
      t.deepEqual(await store.getBytes(lost.multihash), new Uint8Array(lost.bytes))
    }))
}

test('a cold block that is written while its key is looked up is read as it was written', t =>
  withStore(t, async (store, { database, kept }) => {
    const [lost, other] = [block('lost file'), block('another')]
    for (const { multihash, bytes } of [lost, other])
      await database.write([{ family: 'blocks', key: multihash, value: fileValue(bytes.byteLength) }])
    // what is looked up in RocksDB itself is there a while later
    await database.writeThrough([])
    for (const [{ multihash, bytes }, looking] of [
      [lost, () => store.getBytes(lost.multihash)],
      [other, () => store.readAll([other.multihash])]
    ] as const) {
      kept.clear()
      const looked = looking()
      await store.putAll([{ multihash, bytes }], { cold: true })
      await looked
      t.deepEqual(await store.getBytes(multihash), new Uint8Array(bytes))
    }
  }))
