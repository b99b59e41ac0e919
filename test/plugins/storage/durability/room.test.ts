/** What is kept free of a small disk: for removing, and for the database to merge its tables. */
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { Room } from '../../../../plugins/storage-rocksdb/room.ts'
import { smallDisk } from '../../../crash/support/small-disk.ts'

const MIB = 1 << 20

for (const [tables, expected, isWorthMerging] of [
  [0, undefined, false],
  [10, undefined, false],
  [40, undefined, true],
  [60, /the last 16\.0 MiB are kept .*keepFree\), 60\.0 MiB more for the database to merge its tables$/, true],
  [700, /, 700\.0 MiB more for/, false],
  [4000, /, 768\.0 MiB more for/, false]
] as const) {
  test(`beside ${tables} MiB of tables on a disk of 64 MiB a small block is ${expected === undefined ? 'taken' : 'refused'}, and merging is ${isWorthMerging ? '' : 'not '}worth it`, async t => {
    const disk = await smallDisk(t, 64)
    if (disk === undefined) return
    const db = join(disk, 'db')
    await mkdir(db)
    // files without a block of their own, of which the sizes count
    for (const name of ['1.sst', '2.sst', 'LOG']) await writeFile(join(db, name), '')
    await truncate(join(db, '1.sst'), (tables * MIB) / 4)
    await truncate(join(db, '2.sst'), (tables * MIB * 3) / 4)
    await truncate(join(db, 'LOG'), 100 * MIB)
    const room = new Room(disk, db, 64 * MIB)
    if (expected === undefined) t.notThrows(() => room.takeSmall(1000))
    else t.throws(() => room.takeSmall(1000), { code: 'E_STORAGE_FULL', message: expected })
    t.is(room.isWorthMerging(), isWorthMerging)
    t.notThrows(() => new Room(disk, db, 0).takeLarge(100 * MIB))
  })
}
