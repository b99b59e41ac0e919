import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { decodeCid } from '../../../core/cid/parse.ts'
import type { Datastore } from '../../../core/index.ts'
import { idOf } from '../store/record.ts'
import type { Children, WalkFrame } from './walk.ts'

/** How far a walk got. */
interface Progress {
  readonly frames: WalkFrame[]
  /** Nodes visited. */
  readonly visited: number
}

/** Outermost frames that are written down, so that a note is at most some 60 KiB however deep a graph is. */
const MOST_FRAMES = 1024
const PREFIX = '/pins/progress/'

/**
 * Notes of how far interrupted adds got: one key a root, a few hundred bytes. Because a walk is depth first, the links still to be followed
 * of the nodes on its way down say all; what lies before them is stored here, as long as nobody removes blocks (see {@link forgetAll}).
 */
export class ProgressNotes {
  readonly #datastore: Datastore
  #era = 0
  /** Whether there may be notes; from the run before, for all that is known at first. */
  #any = true
  #forgetting: Promise<void> = Promise.resolve()
  /** Notes that are being written. */
  readonly #saving = new Set<Promise<unknown>>()

  constructor(datastore: Datastore) {
    this.#datastore = datastore
  }

  keyOf(root: CID): Key {
    return new Key(PREFIX + idOf(root), false)
  }

  /** A number that changes when everything is forgotten: a walk begun before that must not leave a note. */
  get era(): number {
    return this.#era
  }

  /** @param sync - makes the blocks so far durable: a note must not speak of one that a power loss takes away */
  async save(root: CID, { frames, visited }: Progress, era: number, sync: () => Promise<void>): Promise<void> {
    const kept = frames.slice(0, MOST_FRAMES).map(({ cid, next }, i, all) => {
      // Of a frame whose inner ones are left out, the link they belong to has to be followed again.
      const last = i === all.length - 1 && frames.length > all.length
      return [idOf(cid), last ? next - 1 : next]
    })
    const value = Buffer.from(JSON.stringify({ visited, frames: kept }))
    await sync()
    if (era !== this.#era) return
    this.#any = true
    const saving = Promise.resolve(this.#datastore.put(this.keyOf(root), value))
    const over = saving.catch(() => {}).finally(() => this.#saving.delete(over))
    this.#saving.add(over)
    await saving
  }

  /** @returns undefined where there is nothing that could be resumed: no note, or one whose nodes cannot be loaded any more */
  async resume(root: CID, children: Children, signal: AbortSignal): Promise<Progress | undefined> {
    const note = await this.#read(root)
    if (note === undefined) return undefined
    try {
      const frames: WalkFrame[] = []
      for (const [id, next] of note.frames) {
        const cid = decodeCid(new Uint8Array(Buffer.from(id, 'base64url')))
        frames.push({ cid, links: await children(cid, { signal }), next })
      }
      return { visited: note.visited, frames }
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  /** Blocks are about to go: nothing that was walked is known to be here any more. */
  forgetAll(): Promise<void> {
    this.#era++
    const after = () => this.#deleteAll()
    this.#forgetting = this.#forgetting.then(after, after)
    return this.#forgetting
  }

  async #deleteAll(): Promise<void> {
    if (!this.#any) return
    this.#any = false
    // One that came later would speak of blocks that are gone, and be believed if this process died before it could take it back.
    await Promise.all(this.#saving)
    try {
      const batch = this.#datastore.batch()
      let count = 0
      for await (const key of this.#datastore.queryKeys({ prefix: PREFIX })) {
        batch.delete(key)
        count++
      }
      if (count === 0) return
      await batch.commit()
      await this.#datastore.sync?.()
    } catch (error) {
      this.#any = true
      throw error
    }
  }

  async #read(root: CID): Promise<{ visited: number; frames: Array<[id: string, next: number]> } | undefined> {
    const key = this.keyOf(root)
    if (!(await this.#datastore.has(key))) return undefined
    return JSON.parse(Buffer.from(await this.#datastore.get(key)).toString())
  }
}
