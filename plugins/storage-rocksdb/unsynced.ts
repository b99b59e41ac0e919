import type { BlockFiles } from './block-files.ts'
import type { Database, Write } from './database.ts'
import { syncData } from './files.ts'
import { nameOf } from './values.ts'

const MARK = new Uint8Array([1])
const PREFIX = 'u'.charCodeAt(0)
/** Files synced at a time; each keeps a thread of the pool busy that reads need as well. */
const AT_A_TIME = 2

/**
 * The block files that may not have reached the disk. A file is not synced when it is written, which would halve the speed of a large
 * `add`, but when something asks for durability. Until then the database remembers its key beside the block's, so that after a power loss
 * a block whose file is missing or torn is dropped instead of being believed.
 */
export class Unsynced {
  readonly #database: Database
  readonly #files: BlockFiles
  #keys = new Map<string, Uint8Array>()

  constructor(database: Database, files: BlockFiles) {
    this.#database = database
    this.#files = files
  }

  get size(): number {
    return this.#keys.size
  }

  /** What has to be written together with the key of a block whose file was just written. */
  mark(multihash: Uint8Array): Write {
    return { family: 'state', key: markOf(multihash), value: MARK }
  }

  /** Call once the mark is written, or found. */
  add(multihash: Uint8Array): void {
    this.#keys.set(nameOf(multihash), multihash)
  }

  /** Makes all files so far durable. @returns their marks' removal, to be written once the keys are durable too */
  async sync(): Promise<Write[]> {
    const keys = this.#keys
    this.#keys = new Map()
    try {
      const left = keys.values()
      const worker = async () => {
        for (const multihash of left) await syncData(this.#files.pathOf(multihash))
      }
      await Promise.all(Array.from({ length: AT_A_TIME }, worker))
      if (keys.size > 0) await this.#files.syncFolders(keys.values())
    } catch (error) {
      for (const [name, key] of keys) this.#keys.set(name, key)
      throw error
    }
    return Array.from(keys.values(), unmark)
  }

  /** The marks of the run before. */
  async *marked(): AsyncGenerator<Uint8Array> {
    const range = { gte: new Uint8Array([PREFIX]), lt: new Uint8Array([PREFIX + 1]) }
    for await (const { key } of this.#database.entries('state', range, { values: false })) yield key.subarray(1)
  }
}

function markOf(multihash: Uint8Array): Uint8Array {
  const key = new Uint8Array(multihash.byteLength + 1)
  key[0] = PREFIX
  key.set(multihash, 1)
  return key
}

/** Takes the mark away. */
export function unmark(multihash: Uint8Array): Write {
  return { family: 'state', key: markOf(multihash), value: undefined }
}
