/** The part of `rocksdb-native` 3.18 that is used here; the package carries no types. */
declare module 'rocksdb' {
  export interface FamilyOptions {
    /** Bytes of a memtable. */
    writeBufferSize?: number
    /** Memtables at which writes wait until one is written out. */
    maxWriteBufferNumber?: number
    blockCache?: boolean
    tableCacheIndexAndFilterBlocks?: boolean
  }

  export class ColumnFamily {
    constructor(name: string, options?: FamilyOptions)
  }

  export interface Range {
    gt?: Uint8Array
    gte?: Uint8Array
    lt?: Uint8Array
    lte?: Uint8Array
  }

  export interface IteratorOptions {
    /** Default true; `value` is null otherwise. */
    values?: boolean
    /** Entries fetched at a time. */
    capacity?: number
    limit?: number
  }

  export interface Entry {
    key: Buffer
    value: Buffer | null
  }

  export interface Iterator extends AsyncIterable<Entry> {
    destroy(): void
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): void
  }

  export interface WriteBatch {
    /** Read by the binding when the batch is flushed; each names its column family's handle. */
    readonly _operations: Array<{ columnFamily: unknown }>
    tryPut(key: Uint8Array, value: Uint8Array): void
    tryDelete(key: Uint8Array): void
    /** Writes all as one, atomically. */
    flush(): Promise<void>
    destroy(): void
  }

  export interface ReadBatch {
    /** Resolves once the batch was flushed. */
    get(key: Uint8Array): Promise<Buffer | null>
    flush(): Promise<void>
    destroy(): void
  }

  export interface DatabaseOptions extends FamilyOptions {
    columnFamilies?: ColumnFamily[]
    readOnly?: boolean
    createIfMissing?: boolean
    maxBackgroundJobs?: number
    maxFileOpeningThreads?: number
  }

  export default class RocksDB {
    constructor(path: string, options?: DatabaseOptions)
    static readonly ColumnFamily: typeof ColumnFamily
    readonly _columnFamily: { readonly _handle: unknown; readonly name: string }
    session(options: { columnFamily: ColumnFamily }): RocksDB
    ready(): Promise<void>
    close(options?: { force?: boolean }): Promise<void>
    get(key: Uint8Array): Promise<Buffer | null>
    iterator(range: Range, options?: IteratorOptions): Iterator
    read(options?: { capacity?: number }): ReadBatch
    write(options?: { capacity?: number }): WriteBatch
    /** Writes the column family's memtable out as a table file. */
    flush(): Promise<void>
    /** Merges the column family's tables, all of them. */
    compact(): Promise<void>
    /** What RocksDB says of itself, in text. */
    getProperty(name: string): Promise<string | null>
    currentWalFile(): Promise<{ path: string; number: number }>
  }
}
