import type { BlockFiles } from '../blocks/block-files.ts'
import type { Segments } from '../blocks/segments.ts'
import { multihashOf, nameOf } from '../blocks/values.ts'
import type { Database, Write } from '../database/database.ts'
import { mayHaveLost, syncData } from '../files.ts'

/** First byte of a mark's value; the number of the segment follows. */
const IN_FILE = 1
const IN_SEGMENT = 2
const PREFIX = 'u'.charCodeAt(0)
/** Files synced at a time; each keeps a thread of the pool busy that reads need as well. */
const AT_A_TIME = 2

/** A block that may not have reached the disk, as the database remembers it. `segment` undefined: it has a file of its own. */
export interface UnsyncedBlock {
  readonly multihash: Uint8Array
  readonly segment: number | undefined
}

/**
 * The blocks outside the database that may not have reached the disk. They are not synced when they are written, which would halve the
 * speed of a large `add`, but when something asks for durability. Until then the database remembers them, so that after a power loss a
 * block that is missing or torn is dropped instead of being believed.
 */
export class Unsynced {
  readonly #database: Database
  readonly #files: BlockFiles
  readonly #segments: Segments
  /** Segments by multihash, as strings: an array would keep three pieces of memory outside the heap for each of thousands. */
  #segmentOf = new Map<string, number | undefined>()
  /** Blocks whose files a sync failed to take to the disk. */
  readonly #brokenFiles = new Set<string>()
  /** The files that a sync is taking to the disk at this moment. */
  #onTheWay = 0

  constructor(database: Database, files: BlockFiles, segments: Segments) {
    this.#database = database
    this.#files = files
    this.#segments = segments
  }

  get size(): number {
    return this.#segmentOf.size
  }

  /** Whether every block is known to be on the disk: none waits for a sync, and none is on its way. */
  get isEmpty(): boolean {
    return this.#segmentOf.size === 0 && this.#onTheWay === 0
  }

  /** The writes that go together with the key of a block that was just written. */
  mark({ multihash, segment }: UnsyncedBlock): Write {
    const value = Buffer.allocUnsafe(segment === undefined ? 1 : 5)
    value[0] = segment === undefined ? IN_FILE : IN_SEGMENT
    if (segment !== undefined) value.writeUInt32BE(segment, 1)
    return { family: 'state', key: markOf(multihash), value }
  }

  /** Call once the bytes are written and before the mark is, or when a mark is found. */
  add(marked: UnsyncedBlock): void {
    const name = nameOf(marked.multihash)
    this.#segmentOf.set(name, marked.segment)
    this.#brokenFiles.delete(name)
    if (marked.segment !== undefined) this.#segments.suspect(marked.segment)
  }

  /** The blocks that a failed sync may have lost. A later one that succeeds says nothing of them: they have to be written once more. */
  broken(): readonly UnsyncedBlock[] {
    if (this.#brokenFiles.size === 0 && !this.#segments.hasBroken) return []
    const broken = [...this.#segmentOf].filter(([name, segment]) =>
      segment === undefined ? this.#brokenFiles.has(name) : this.#segments.isBroken(segment)
    )
    return broken.map(([name, segment]) => ({ multihash: multihashOf(name), segment }))
  }

  /** The same for one that a failed sync of an earlier run may have lost. */
  addBroken(marked: UnsyncedBlock): void {
    this.add(marked)
    if (marked.segment === undefined) this.#brokenFiles.add(nameOf(marked.multihash))
    else this.#segments.doubt(marked.segment)
  }

  /** Call when the block is gone. */
  drop(multihash: Uint8Array): void {
    this.#segmentOf.delete(nameOf(multihash))
    this.#brokenFiles.delete(nameOf(multihash))
  }

  /** Makes all blocks so far durable, but those that are broken. @returns those whose marks can go once their keys are durable too */
  async sync(): Promise<readonly UnsyncedBlock[]> {
    const unsynced = this.#segmentOf
    this.#segmentOf = new Map()
    const marked = [...unsynced].map(([name, segment]) => ({ multihash: multihashOf(name), segment }))
    this.#onTheWay = marked.length
    try {
      await this.#segments.sync()
      await this.#syncFiles(marked.filter(({ segment }) => segment === undefined).map(({ multihash }) => multihash))
    } catch (error) {
      for (const [name, segment] of unsynced) this.#segmentOf.set(name, segment)
      throw error
    } finally {
      this.#onTheWay = 0
    }
    return marked
  }

  /** Removes the marks of blocks that were synced, but of those that were written once more since. */
  unmarksOf(synced: readonly UnsyncedBlock[]): Write[] {
    return synced.filter(({ multihash }) => !this.#segmentOf.has(nameOf(multihash))).map(({ multihash }) => unmark(multihash))
  }

  /** The marks of the run before. */
  async *marked(): AsyncGenerator<UnsyncedBlock> {
    const range = { gte: new Uint8Array([PREFIX]), lt: new Uint8Array([PREFIX + 1]) }
    for await (const { key, value } of this.#database.entries('state', range)) {
      const segment = value[0] === IN_SEGMENT ? Buffer.from(value).readUInt32BE(1) : undefined
      yield { multihash: key.subarray(1), segment }
    }
  }

  async #syncFiles(multihashes: readonly Uint8Array[]): Promise<void> {
    if (multihashes.length === 0) return
    const left = multihashes.values()
    const worker = async () => {
      for (const multihash of left) {
        await syncData(this.#files.pathOf(multihash)).catch(error => {
          if (mayHaveLost(error)) this.#brokenFiles.add(nameOf(multihash))
          throw error
        })
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, worker))
    await this.#files.syncFolders(multihashes)
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
