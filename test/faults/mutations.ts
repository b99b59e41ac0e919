/** Lines of the sources that a promise of docs/durability.md hangs on, and the tests that have to fail once one of them is taken away. */
export interface Mutation {
  readonly promise: string
  readonly file: string
  /** The statement; where it stands there several times, which one of them. */
  readonly line: string
  readonly nth?: number
  /** What stands in its place. */
  readonly instead?: string
  readonly tests: readonly string[]
}

const FAULTS = ['faults/promises']

export const mutations: readonly Mutation[] = [
  {
    promise: 'a change of the configuration outlives a power cut',
    file: 'core/files/whole',
    line: 'await syncFolder(dirname(path))',
    tests: FAULTS
  },
  {
    promise: 'a file that takes the place of another is on the disk first',
    file: 'core/files/whole',
    line: 'await file.sync()',
    tests: FAULTS
  },
  {
    promise: 'a renamed key outlives a power cut',
    file: 'plugins/keys/folder',
    line: 'await syncFolder(this.#path)',
    nth: 0,
    tests: FAULTS
  },
  {
    promise: 'a removed key stays removed after a power cut',
    file: 'plugins/keys/folder',
    line: 'await syncFolder(this.#path)',
    nth: 1,
    tests: FAULTS
  },
  {
    promise: 'what came into a log behind what it lost becomes a table',
    file: 'plugins/storage-rocksdb/database/engine',
    line: 'await this.#flush()',
    nth: 1,
    tests: ['plugins/storage/durability/broken-log']
  },
  {
    promise: 'a sync that would wait for ever is refused',
    file: 'plugins/storage-rocksdb/database/engine',
    line: "throw this.#refused('what its log may have lost is in memory alone until its tables are merged')",
    instead: ';',
    tests: ['plugins/storage/durability/stuck']
  },
  {
    promise: 'a block that is read is held against its hash',
    file: 'plugins/blocks/block-service',
    line: 'await this.#check(cid, bytes, options)',
    nth: 0,
    instead: ';',
    tests: ['plugins/blocks/service']
  },
  {
    promise: 'a collection moves no block that it has not held against its hash',
    file: 'plugins/storage-rocksdb/blocks/compaction',
    line: 'return bytes?.byteLength === place.size && isIntact(multihash, bytes) ? bytes : undefined',
    instead: 'return bytes',
    tests: ['plugins/storage/blocks/compaction']
  },
  {
    promise: 'no empty database is begun where there was one',
    file: 'plugins/storage-rocksdb/index',
    line: 'await refuseWithoutDatabase(path, NAME)',
    instead: ';',
    tests: ['plugins/storage/damage/missing']
  },
  {
    promise: 'a database works with the folders of its own blocks',
    file: 'plugins/storage-rocksdb/storage',
    line: 'await pair(this.database, [this.segments.root, this.files.root], isBegun || format !== undefined)',
    tests: ['plugins/storage/damage/missing']
  }
]
