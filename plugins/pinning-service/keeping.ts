import { z } from 'zod'
import { KeyedLock } from '../../core/concurrency/index.ts'
import { type CID, type Datastore, hasCode, type PinOptions, type Pins, type WriteBarrier } from '../../core/index.ts'
import { cidIn, heldKey, PREFIXES } from './requests/keys.ts'
import type { RequestTable } from './requests/table.ts'

/** The name of the pins that are the service's. Whoever pins the same again under any other name makes the pin his own. */
const PIN_NAME = 'pinning-service'

const heldSchema = z.object({ direct: z.string().optional() })

/** The record beside a pin that is the service's: the name of the direct pin whose place it took. */
type Held = z.output<typeof heldSchema>

interface KeepingParts {
  readonly datastore: Datastore
  readonly pins: Pins
  readonly barrier: WriteBarrier
  readonly table: RequestTable
}

/**
 * The node's pins as requests want them. A pin is the service's where it bears its name and a note says that the service made it; all others
 * are the user's, and are never touched. The note is written before the pin and removed after it, so that whatever dies in between leaves what
 * {@link sweep} finds.
 */
export class Keeping {
  readonly #parts: KeepingParts
  readonly #locks = new KeyedLock()
  /** CIDs that are on their way, and how many work on each. */
  readonly #running = new Map<string, number>()

  constructor(parts: KeepingParts) {
    this.#parts = parts
  }

  /** Whether all of it is kept, by whomever: for as long as it is the service's, and a request wants it. */
  keeps(cid: CID): Promise<boolean> {
    return this.#locks.run(cid.toString(), async () => (await this.#parts.pins.get(cid))?.mode === 'recursive')
  }

  /** Fetches what is missing and pins, unless somebody has. Let go of it with {@link release} where nobody wants it any more. */
  async keep(cid: CID, options: PinOptions): Promise<void> {
    const { datastore, pins } = this.#parts
    const name = cid.toString()
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
    try {
      const isOthers = await this.#locks.run(name, async () => {
        const pin = await pins.get(cid)
        const held = await this.#held(cid)
        if (pin?.mode === 'recursive' && (held === undefined || pin.name !== PIN_NAME)) return true
        // a direct pin that is not there any more was removed with the recursive one
        if (held === undefined || (pin === undefined && held.direct !== undefined)) {
          const note: Held = pin?.mode === 'direct' ? { direct: pin.name } : {}
          await datastore.put(heldKey(cid), Buffer.from(JSON.stringify(note)))
          await datastore.sync?.()
        }
        return false
      })
      if (!isOthers) await pins.add(cid, { ...options, name: PIN_NAME, unlessPinned: true })
    } finally {
      const left = this.#running.get(name)! - 1
      if (left === 0) this.#running.delete(name)
      else this.#running.set(name, left)
    }
  }

  /** Ends the service's pin of a CID that no request wants any more. Where one is on its way, whoever works on it comes here in the end. */
  async release(cid: CID): Promise<void> {
    const name = cid.toString()
    await this.#locks.run(name, async () => {
      if (this.#running.has(name) || (await this.#isWanted(cid))) return
      const held = await this.#held(cid)
      if (held === undefined) return
      await this.#unpin(cid, held)
      await this.#parts.datastore.delete(heldKey(cid))
      await this.#parts.datastore.sync?.()
    })
  }

  /** Lets go of all that nobody wants any more, as whoever died in the middle left it. */
  async sweep(signal: AbortSignal): Promise<void> {
    for await (const key of this.#parts.datastore.queryKeys({ prefix: PREFIXES.held }, { signal })) await this.release(cidIn(key))
  }

  async #unpin(cid: CID, { direct }: Held): Promise<void> {
    const { pins, barrier } = this.#parts
    // the user's direct pin comes back before anybody could collect what it keeps
    const lease = direct === undefined ? undefined : await barrier.announce({ cid, recursive: false, bestEffort: true })
    try {
      await pins.remove(cid, { name: PIN_NAME }).catch(error => {
        // it is gone, or the user's by now
        if (!hasCode(error, 'E_NOT_PINNED')) throw error
      })
      if (direct !== undefined && (await pins.get(cid)) === undefined)
        await pins.add(cid, { recursive: false, name: direct, offline: true })
    } finally {
      lease?.release()
    }
  }

  async #isWanted(cid: CID): Promise<boolean> {
    for await (const { status } of this.#parts.table.wanting(cid)) if (status !== 'failed') return true
    return false
  }

  async #held(cid: CID): Promise<Held | undefined> {
    try {
      return heldSchema.parse(JSON.parse(Buffer.from(await this.#parts.datastore.get(heldKey(cid))).toString()))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }
}
