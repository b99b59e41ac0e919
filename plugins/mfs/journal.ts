import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { cidToString, decodeCid, parseCid } from '../../core/cid/parse.ts'
import { type Size, sizeOf } from '../../core/dag/node-links.ts'
import { lostBelow } from '../../core/dag/walk/lost.ts'
import { type Blocks, type Dag, type Datastore, type FastBlocks, messageOf, type NodeNaming } from '../../core/index.ts'
import { KeyedLock } from '../../core/keyed-lock.ts'
import { mfsErrors } from './errors.ts'

/** The root's CID in its binary form, under the key that Kubo has for it. */
const ROOT = new Key('/local/filesroot')
const RECORDS = '/local/mfs/'

export interface JournalParts {
  /** What lies below an entry is looked up there. */
  readonly blocks: Blocks
  readonly dag: Dag
  /** Stores the nodes that changes refer to and that were made without it. */
  storeMade(): Promise<void>
  /** Told when changes could not be kept, of those that nobody waits for: all others did not happen. */
  onRefused(carried: readonly Change[]): void
}

/** A change of the tree: an entry that is put (`cid`, with its Tsize), another naming of a directory, or, with neither, an entry that goes. */
export interface Change {
  readonly path: readonly string[]
  readonly cid?: CID
  readonly size?: Size
  readonly naming?: NodeNaming
}

interface Written extends Omit<Change, 'cid' | 'size'> {
  readonly cid?: string
  /** Digits where it is not exact as a number. */
  readonly size?: number | string
}

/**
 * The stored form of the tree: a root, and the changes since, one record for all that were flushed together. What a record speaks of is on the disk
 * before the record is; a new root and the end of the records that it contains are one batch.
 */
export class Journal {
  readonly #datastore: Datastore
  readonly #store: FastBlocks
  readonly #lock = new KeyedLock()
  #waiting: Change[] = []
  /** Those of them that nobody waits for. */
  readonly #loose = new WeakSet<Change>()
  #next = 0
  /** Whether a record of that number may be there, though its write was reported as failed. */
  #isTorn = false
  /** Why nothing is kept here any more: another tree stands in its place. */
  #over: unknown
  /** Whether that is since changes were refused. */
  #isRefused = false
  /** The root that is known to be kept. */
  #kept: CID | undefined
  #flush: Promise<void> | undefined
  /** Records that are there, and how many changes they hold. */
  readonly #records = new Map<string, number>()
  #length = 0

  readonly #parts: JournalParts

  constructor(datastore: Datastore, store: FastBlocks, parts: JournalParts) {
    this.#datastore = datastore
    this.#store = store
    this.#parts = parts
  }

  /** Changes in records. */
  get length(): number {
    return this.#length
  }

  /** Changes that are in memory alone. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Names on the paths of the changes that are in memory alone: what a record of them is made of. */
  get names(): number {
    return this.#waiting.reduce((sum, { path }) => sum + path.length, 0)
  }

  /** The root that is kept; undefined: there is none yet. */
  async root(): Promise<CID | undefined> {
    try {
      return decodeCid(await this.#datastore.get(ROOT))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }

  /** Says that a root is kept, where nobody in this process writes one: then it need not be written again. */
  holds(root: CID): void {
    this.#kept = root
  }

  /** The changes that are in records and those that wait for one. @throws E_MFS_JOURNAL, and what the datastore does */
  changes(): Promise<Change[]> {
    // One that is on its way into a record is in neither until it is there.
    return this.#lock.run('', async () => [...(await new Journal(this.#datastore, this.#store, this.#parts).read()), ...this.#waiting])
  }

  /** The changes since that root, in their order. @throws E_MFS_JOURNAL */
  async read(): Promise<Change[]> {
    const changes: Change[] = []
    this.#records.clear()
    this.#length = 0
    for await (const { key, value } of this.#datastore.query({ prefix: RECORDS })) {
      const name = key.toString().slice(RECORDS.length)
      try {
        const written = JSON.parse(Buffer.from(value).toString()) as Written[]
        changes.push(...written.map(changeOf))
        this.#recorded(name, written.length)
      } catch (error) {
        throw mfsErrors.E_MFS_JOURNAL(key.toString(), messageOf(error))
      }
      this.#next = Number.parseInt(name, 16) + 1
    }
    return changes
  }

  /** @throws what a flush has thrown */
  add(change: Change): void {
    this.#checkOpen()
    this.#waiting.push(change)
  }

  /** Nobody waits for the changes so far to be kept. @throws what a flush has thrown */
  loosen(): void {
    this.#checkOpen()
    for (const change of this.#waiting) this.#loose.add(change)
  }

  /** What waits could not be kept: who waits for it is told, so it has not happened. The tree is to be opened anew. */
  refuse(error: unknown): void {
    if (this.#over !== undefined) return
    this.#over = error
    this.#isRefused = true
    this.#waiting = this.#waiting.filter(change => this.#loose.has(change))
    this.#parts.onRefused(this.#waiting)
  }

  /** Resolves when all changes so far survive power loss. Those who ask at the same time share a record. */
  flush(): Promise<void> {
    this.#flush ??= this.#lock.run('', async () => {
      // Whoever asks in this turn shares the record; who asks later waits for the next.
      await null
      this.#flush = undefined
      await this.#write()
    })
    return this.#flush
  }

  async #write(): Promise<void> {
    // Of who came while another change was being refused, the change was too.
    if (this.#isRefused) throw this.#over
    const changes = this.#waiting
    if (changes.length === 0) return
    this.#checkOpen()
    this.#waiting = []
    // One that could not be written, though it may have been, is written again under the same name.
    const name = recordName(this.#next)
    try {
      await this.#parts.storeMade()
      await this.#settled(() => entriesOf(changes))
      this.#isTorn = true
      await this.#datastore.put(new Key(RECORDS + name), Buffer.from(JSON.stringify(changes.map(written))))
      await this.#datastore.sync?.()
    } catch (error) {
      this.#waiting = [...changes, ...this.#waiting]
      await this.#takeBack(name)
      this.refuse(error)
      throw error
    }
    this.#isTorn = false
    this.#next++
    this.#recorded(name, changes.length)
  }

  /** Removes a record that may be there, though its write failed, as far as that goes on a disk that takes nothing. */
  async #takeBack(name: string): Promise<void> {
    if (!this.#isTorn) return
    try {
      await this.#datastore.delete(new Key(RECORDS + name))
    } catch {}
  }

  #recorded(name: string, changes: number): void {
    this.#records.set(name, changes)
    this.#length += changes
  }

  /**
   * Keeps a root in place of the records.
   *
   * @param fold - makes the root, in one step with the changes that are waiting then
   */
  replace(fold: () => CID): Promise<void> {
    return this.#lock.run('', async () => {
      this.#checkOpen()
      await this.#replace(fold)
    })
  }

  /** The same with a root that has nothing of these changes; from then on nothing is kept here. */
  end(root: CID): Promise<void> {
    return this.#lock.run('', async () => {
      this.#checkOpen()
      await this.#replace(() => root)
      this.#over = mfsErrors.E_MFS_REPLACED()
    })
  }

  async #replace(fold: () => CID): Promise<void> {
    const root = fold()
    if (this.#kept?.equals(root) && this.#waiting.length === 0 && this.#records.size === 0 && !this.#isTorn) return this.#parts.storeMade()
    const contained = this.#waiting
    const records = [...this.#records.keys(), ...(this.#isTorn ? [recordName(this.#next)] : [])]
    this.#waiting = []
    try {
      await this.#parts.storeMade()
      await this.#settled(() => [root])
      const batch = this.#datastore.batch()
      batch.put(ROOT, root.bytes)
      for (const name of records) batch.delete(new Key(RECORDS + name))
      await batch.commit()
      await this.#datastore.sync?.()
    } catch (error) {
      this.#waiting = [...contained, ...this.#waiting]
      throw error
    }
    this.#isTorn = false
    this.#kept = root
    for (const name of records) {
      this.#length -= this.#records.get(name) ?? 0
      this.#records.delete(name)
    }
  }

  /** @throws E_MFS_REPLACED, and what a flush has thrown */
  #checkOpen(): void {
    if (this.#over !== undefined) throw this.#over
  }

  /**
   * Resolves when no record that is written from here on can outlive a block that is stored.
   *
   * @param roots - what the record speaks of
   * @throws E_MFS_LOST where the disk has lost a block of that
   */
  async #settled(roots: () => readonly CID[]): Promise<void> {
    if (this.#store.precedes?.(this.#datastore) !== true) await this.#store.sync({ looksAtLost: true })
    const lost = this.#store.lost?.() ?? []
    const needed = lost.length === 0 ? undefined : await lostBelow(roots(), lost, this.#parts)
    if (needed !== undefined) throw mfsErrors.E_MFS_LOST(cidToString(needed))
  }
}

/** The entries that changes leave behind: without those that a later one replaces or removes, or a directory above them. */
function entriesOf(changes: readonly Change[]): CID[] {
  const entries: CID[] = []
  const later = new Set<string>()
  for (const { path, cid, naming } of changes.toReversed()) {
    if (cid === undefined && naming !== undefined) continue
    if (cid !== undefined && !path.some((_, i) => later.has(path.slice(0, i + 1).join('/')))) entries.push(cid)
    later.add(path.join('/'))
  }
  return entries
}

function recordName(number: number): string {
  return number.toString(16).padStart(16, '0')
}

function written({ cid, size, ...fields }: Change): Written {
  if (cid === undefined) return fields
  return { ...fields, cid: cidToString(cid), ...(size !== undefined && { size: typeof size === 'bigint' ? String(size) : size }) }
}

function changeOf({ cid, size, ...fields }: Written): Change {
  return cid === undefined ? fields : { ...fields, cid: parseCid(cid), ...(size !== undefined && { size: sizeOf(BigInt(size)) }) }
}
