import { equals } from 'multiformats/bytes'
import { decode } from 'multiformats/hashes/digest'
import { digestSync, hashFunctions } from '../../../core/cid/hashers.ts'
import { type BlockValue, decodeValue, nameOf } from '../blocks/values.ts'
import type { Database } from '../database/database.ts'
import { powerOf } from './power.ts'
import { type Unsynced, type UnsyncedBlock, unmark } from './unsynced.ts'

const BOOT = new TextEncoder().encode('boot')
/** The mark in the place of the boot when a sync has failed. */
const DOUBT = new Uint8Array()

/** Reads a block from where its value says that it lies. */
type ReadBlock = (multihash: Uint8Array, value: BlockValue) => Promise<Uint8Array | undefined>

/**
 * The blocks that were not known to be on the disk when the machine or the disk lost its power: each is checked before it is believed, in the
 * background or when it is asked for, and dropped where it is missing or torn. When only the process died, nothing is suspect.
 */
export class Suspects {
  readonly #database: Database
  readonly #read: ReadBlock
  readonly #unsynced: Unsynced
  readonly #left = new Map<string, UnsyncedBlock>()
  readonly #checks = new Map<string, Promise<void>>()
  #stop = new AbortController()
  readonly #folder: string
  #boot: Uint8Array | undefined
  /** Whether a sync failed in this run, or in one before since which not everything was synced. */
  #isDoubted = false
  #background: Promise<void> = Promise.resolve()

  /** @param folder - of the blocks: what counts is the power of the disk on which it lies */
  constructor(database: Database, read: ReadBlock, unsynced: Unsynced, folder: string) {
    this.#folder = folder
    this.#database = database
    this.#read = read
    this.#unsynced = unsynced
  }

  /** Blocks that have not been checked yet. */
  get size(): number {
    return this.#left.size
  }

  /** Begins to check if the machine was started, or the disk attached, since. @returns whether it was */
  async start(): Promise<boolean> {
    this.#stop = new AbortController()
    const boot = await powerOf(this.#folder)
    const before = await this.#database.get('state', BOOT)
    this.#boot = boot
    this.#isDoubted = before?.byteLength === DOUBT.byteLength
    const sameBoot = boot !== undefined && before !== undefined && equals(before, boot)
    for await (const marked of this.#unsynced.marked()) {
      if (sameBoot) this.#unsynced.add(marked)
      else this.#left.set(nameOf(marked.multihash), marked)
    }
    // What fails here is met again by who reads the block, and checked again at the next start.
    if (!sameBoot) this.#background = this.#checkAll(boot).catch(() => {})
    return !sameBoot
  }

  /**
   * Call when a sync failed. Has the next start check every mark, as if the power had failed, and what is whole written once more: it may be so
   * in the memory of the system alone.
   */
  async doubt(): Promise<void> {
    this.#isDoubted = true
    await this.#database.write([{ family: 'state', key: BOOT, value: DOUBT }])
  }

  /** Call when everything was synced. */
  async trust(): Promise<void> {
    if (this.#isDoubted && this.#left.size === 0 && this.#boot !== undefined) {
      await this.#database.write([{ family: 'state', key: BOOT, value: this.#boot }])
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#background
  }

  /** Resolves once the block can be believed, or is gone. */
  check(multihash: Uint8Array): Promise<void> {
    const name = nameOf(multihash)
    const known = this.#left.get(name)
    if (known === undefined) return Promise.resolve()
    const running = this.#checks.get(name) ?? this.#settle(name, known).finally(() => this.#checks.delete(name))
    this.#checks.set(name, running)
    return running
  }

  /** The boot is written down last: should this be broken off, the next start has all marks checked again. */
  async #checkAll(boot: Uint8Array | undefined): Promise<void> {
    for (const { multihash } of [...this.#left.values()]) {
      if (this.#stop.signal.aborted) return
      await this.check(multihash)
    }
    if (boot !== undefined && !this.#isDoubted) await this.#database.write([{ family: 'state', key: BOOT, value: boot }])
  }

  async #settle(name: string, marked: UnsyncedBlock): Promise<void> {
    const { multihash } = marked
    if (await this.#isWhole(multihash)) this.#isDoubted ? this.#unsynced.addBroken(marked) : this.#unsynced.add(marked)
    else await this.#database.write([{ family: 'blocks', key: multihash, value: undefined }, unmark(multihash)])
    this.#left.delete(name)
  }

  async #isWhole(multihash: Uint8Array): Promise<boolean> {
    const value = await this.#database.get('blocks', multihash)
    const found = value && decodeValue(value)
    if (found === undefined || found.kind === 'inline') return true
    const bytes = await this.#read(multihash, found)
    return bytes?.byteLength === found.size && isIntact(multihash, bytes)
  }
}

/** Whether the bytes are those of the block. Of a hash function that only another plugin knows, their number has to do. */
export function isIntact(multihash: Uint8Array, bytes: Uint8Array): boolean {
  const { code, size, digest } = decode(multihash)
  return !isRegistered(code) || equals(digestSync(code, bytes, size), digest)
}

function isRegistered(hash: number): boolean {
  return hashFunctions.some(({ code }) => code === hash)
}
