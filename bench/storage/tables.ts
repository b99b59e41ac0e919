/**
 * Memory of all tables, sets and queues in JavaScript's hands while the store takes a million of the smallest blocks, then a million of 4 KiB,
 * and is counted meanwhile; and of those that pins and collections keep of a million blocks. `node dist/bench/storage/tables.js [blocks] [folder]`
 */
import 'reflect-metadata'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fingerprints, fingerprintOf } from '../../plugins/blocks/fingerprints.ts'
import { Marks } from '../../plugins/pins/collection/marks.ts'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { heldMemory } from '../../test/helpers/memory.ts'
import { report } from '../support/report.ts'

const [count = '1000000', parent = tmpdir()] = process.argv.slice(2)
const blocks = Number(count)
const AT_ONCE = 256
const RAW = 0x55
/** Blocks between two looks at the memory. */
const LOOK_EVERY = AT_ONCE * 64

/** The shortest keys that there are: SHA-1. */
function key(i: number): Uint8Array {
  return Buffer.concat([new Uint8Array([0x11, 20]), createHash('sha1').update(String(i)).digest()])
}

/** The most that memory has grown by while the store takes so many blocks. */
async function growthOfStore(size: number): Promise<number> {
  const folder = await mkdtemp(join(parent, 'bench-tables-'))
  const storage = new Storage(folder, storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  const before = heldMemory()
  let most = before
  let counting: Promise<unknown> | undefined
  for (let at = 0; at < blocks; at += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, blocks - at) }, (_, i) => ({
      multihash: key(at + i),
      bytes: Buffer.alloc(size, at)
    }))
    await store.putAll(batch)
    if (at % LOOK_EVERY !== 0) continue
    most = Math.max(most, heldMemory())
    // One is always under way from half of them on; soon there are too many for the census to be kept.
    if (at > blocks / 2)
      counting ??= store.totals().finally(() => {
        counting = undefined
      })
  }
  most = Math.max(most, heldMemory())
  await counting
  await storage.close()
  await rm(folder, { recursive: true })
  return most - before
}

function growthOf(fill: (i: number) => void): number {
  const before = heldMemory()
  for (let i = 0; i < blocks; i++) fill(i)
  const after = heldMemory()
  // What was filled lives until here.
  fill(0)
  return after - before
}

for (const size of [5, 4096]) {
  const name = `${blocks} blocks of ${size} bytes: growth of all tables of the store against the aim`
  report({ name, measured: await growthOfStore(size), against: 96, unit: 'MiB', atMost: 1 })
}
const marks = new Marks()
const marked = growthOf(i => marks.add(key(i), RAW))
report({ name: `marks of ${blocks} blocks against the aim`, measured: marked, against: 32, unit: 'MiB', atMost: 1 })
const prints = new Fingerprints()
const remembered = growthOf(i => prints.add(fingerprintOf(key(i))))
report({ name: `what was stored, of ${blocks} blocks, against the aim`, measured: remembered, against: 24, unit: 'MiB', atMost: 1 })
