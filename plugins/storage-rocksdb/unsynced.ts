import { readFile } from 'node:fs/promises'
import { equals } from 'multiformats/bytes'
import { decode } from 'multiformats/hashes/digest'
import { digestSync, hashFunctions } from '../../core/cid/hashers.ts'
import type { BlockFiles } from './block-files.ts'
import type { Database, Write } from './database.ts'
import { syncData } from './files.ts'
import { decodeValue, nameOf } from './values.ts'

const MARK = new Uint8Array([1])
const PREFIX = 'u'.charCodeAt(0)
const BOOT = new TextEncoder().encode('boot')
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

  /** Call once the mark is written. */
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

  /** Reads the marks of the run before. After a crash of the process alone the files are whole; after one of the machine each is checked. */
  async recover(): Promise<void> {
    const boot = await bootId()
    const before = await this.#database.get('state', BOOT)
    const sameBoot = boot !== undefined && before !== undefined && Buffer.from(before).equals(boot)
    const writes: Write[] = []
    for await (const { key } of this.#database.entries('state', { gte: new Uint8Array([PREFIX]), lt: new Uint8Array([PREFIX + 1]) })) {
      const multihash = key.subarray(1)
      if (sameBoot || (await this.#isWhole(multihash))) this.add(multihash)
      else writes.push({ family: 'blocks', key: multihash, value: undefined }, unmark(multihash))
    }
    if (!sameBoot && boot !== undefined) writes.push({ family: 'state', key: BOOT, value: boot })
    await this.#database.write(writes)
  }

  async #isWhole(multihash: Uint8Array): Promise<boolean> {
    const value = await this.#database.get('blocks', multihash)
    const block = value && decodeValue(value)
    if (block?.size === undefined) return true
    const bytes = await this.#files.read(multihash, block.size)
    if (bytes?.byteLength !== block.size) return false
    const { code, size, digest } = decode(multihash)
    // Of a hash function that only another plugin knows, the size has to do.
    return !isRegistered(code) || equals(digestSync(code, bytes, size), digest)
  }
}

function markOf(multihash: Uint8Array): Uint8Array {
  const key = new Uint8Array(multihash.byteLength + 1)
  key[0] = PREFIX
  key.set(multihash, 1)
  return key
}

function unmark(multihash: Uint8Array): Write {
  return { family: 'state', key: markOf(multihash), value: undefined }
}

/** Changes with every start of the machine; undefined where the system does not tell, as on anything but Linux. */
async function bootId(): Promise<Buffer | undefined> {
  return readFile('/proc/sys/kernel/random/boot_id').catch(() => undefined)
}

function isRegistered(hash: number): boolean {
  return hashFunctions.some(({ code }) => code === hash)
}
