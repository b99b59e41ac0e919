import { stat } from 'node:fs/promises'
import { messageOf, type Token, token } from '../../core/index.ts'
import { BlockFiles } from './block-files.ts'
import { Census } from './census.ts'
import { Database, type Write } from './database.ts'
import { storageErrors } from './errors.ts'
import { syncFolder } from './files.ts'
import { SharedRun } from './group-commit.ts'
import { Room } from './room.ts'
import type { StorageSettings } from './settings.ts'
import { Suspects } from './suspects.ts'
import { Unsynced } from './unsynced.ts'
import { fileValue } from './values.ts'

/** Where block files lie, below the repo. */
export const BLOCK_FOLDER = 'blocks'
/** Files that may wait for the disk before the store syncs by itself, and before it lets puts wait: bounds a durability point and a recovery. */
const MANY_UNSYNCED = 16_384
const MOST_UNSYNCED = 32_768
/** Keys written together when a repo moves in. */
const ADOPTED_AT_ONCE = 256
/** Of the database's contents; raised when an older program could not read them. */
const FORMAT = 1
const FORMAT_KEY = new TextEncoder().encode('format')

export const SharedStorage: Token<Storage> = token<Storage>('storage-rocksdb.storage')

/** The database and the block files of one repo, as the two stores over them share it. */
export class Storage {
  readonly options: StorageSettings
  readonly database: Database
  readonly files: BlockFiles
  readonly unsynced: Unsynced
  readonly suspects: Suspects
  readonly census: Census
  readonly room: Room
  readonly #repo: string
  #users = 0
  #opened: Promise<void> | undefined
  readonly #sync = new SharedRun(() => this.#syncAll())

  constructor(repo: string, options: StorageSettings) {
    this.#repo = repo
    this.options = options
    this.database = new Database(`${repo}/db`, options)
    this.files = new BlockFiles(`${repo}/${BLOCK_FOLDER}`, options.fileWriters)
    this.unsynced = new Unsynced(this.database, this.files)
    this.suspects = new Suspects(this.database, this.files, this.unsynced)
    this.census = new Census(this.database)
    this.room = new Room(repo, options.keepFree)
  }

  /** Both stores open what they share; the last one closes it. @throws E_STORAGE_OPEN, E_STORAGE_FORMAT */
  open(): Promise<void> {
    this.#users++
    this.#opened ??= this.#open()
    return this.#opened
  }

  async close(): Promise<void> {
    if (this.#users === 0 || --this.#users > 0) return
    this.#opened = undefined
    if (!this.database.isOpen) return
    try {
      await this.suspects.stop()
      await this.sync()
    } finally {
      await this.database.close()
    }
  }

  async #open(): Promise<void> {
    await this.database.open()
    try {
      const format = (await this.database.get('state', FORMAT_KEY))?.[0]
      if (format !== undefined && format !== FORMAT) throw storageErrors.E_STORAGE_FORMAT(format, FORMAT)
      await this.files.open()
      if (format === undefined) await this.#begin()
      await this.suspects.start()
    } catch (error) {
      await this.database.close()
      throw error
    }
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

  /**
   * Takes the block files of a folder that a new database finds as blocks, so that a repo of the reference moves in as it is. Comes to the
   * same when it is broken off and begun again.
   */
  async #begin(): Promise<void> {
    this.census.begin()
    const writes: Write[] = []
    for await (const { path, multihash } of this.files.list()) {
      if (multihash === undefined) continue
      writes.push({ family: 'blocks', key: multihash, value: fileValue((await stat(path)).size) })
      if (writes.length === ADOPTED_AT_ONCE) await this.database.write(writes.splice(0))
    }
    await this.database.write([...writes, { family: 'state', key: FORMAT_KEY, value: new Uint8Array([FORMAT]) }])
    await this.database.sync()
    await syncFolder(this.#repo)
  }

  /** @throws E_STORAGE_SYNC */
  async #syncAll(): Promise<void> {
    try {
      const settled = await this.unsynced.sync()
      await this.database.sync()
      await this.database.write(settled)
    } catch (error) {
      throw storageErrors.E_STORAGE_SYNC(messageOf(error))
    }
  }
}
