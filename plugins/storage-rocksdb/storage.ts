import { BlockFiles } from './block-files.ts'
import { Database } from './database.ts'
import { SharedRun } from './group-commit.ts'
import { Unsynced } from './unsynced.ts'

export interface StorageOptions {
  /** Largest block, in bytes, that lies in the database itself. 0: every block is a file. */
  inlineUpTo: number
  /** Bytes of the memtable of blocks. */
  writeBuffer: number
  /** Block files written at a time. */
  fileWriters: number
}

/** Files that may wait for the disk before the store syncs by itself, and before it lets puts wait: bounds a durability point and a recovery. */
const MANY_UNSYNCED = 1024
const MOST_UNSYNCED = 4096

/** The database and the block files of one repo, as the two stores over them share it. */
export class Storage {
  readonly options: StorageOptions
  readonly database: Database
  readonly files: BlockFiles
  readonly unsynced: Unsynced
  readonly #sync = new SharedRun(() => this.#syncAll())

  constructor(repo: string, options: StorageOptions) {
    this.options = options
    this.database = new Database(`${repo}/db`, options)
    this.files = new BlockFiles(`${repo}/blocks`, options.fileWriters)
    this.unsynced = new Unsynced(this.database, this.files)
  }

  async open(): Promise<void> {
    await this.database.open()
    await this.files.open()
    await this.unsynced.recover()
  }

  async close(): Promise<void> {
    if (this.database.isOpen) await this.sync()
    await this.database.close()
  }

  /** A durability point for blocks and keys alike, shared by all who ask meanwhile: what was acknowledged before survives power loss. */
  sync(): Promise<void> {
    return this.#sync.run()
  }

  /** Call after a block file was written. */
  async syncIfMany(): Promise<void> {
    if (this.unsynced.size >= MOST_UNSYNCED) await this.sync()
    // Whoever asks for durability next meets the same failure and reports it.
    else if (this.unsynced.size >= MANY_UNSYNCED) this.sync().catch(() => {})
  }

  async #syncAll(): Promise<void> {
    const settled = await this.unsynced.sync()
    await this.database.sync()
    await this.database.write(settled)
  }
}
