import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { NodeError } from '../../core/errors.ts'
import type { CID, Datastore } from '../../core/index.ts'
import { Barrier } from '../../plugins/blocks/barrier.ts'
import { Keeping } from '../../plugins/pinning-service/keeping.ts'
import { RequestTable } from '../../plugins/pinning-service/requests/table.ts'
import { PinningService } from '../../plugins/pinning-service/service.ts'
import { pinningServiceSettings } from '../../plugins/pinning-service/settings.ts'
import { Worker } from '../../plugins/pinning-service/worker.ts'
import type { PinStore } from '../../plugins/pins/store/store.ts'
import { MemoryDatastore } from '../../plugins/storage-memory/datastore.ts'
import { all } from '../helpers/streams.ts'
import { pinned, tree, world } from '../plugins/pins/world.ts'
import { type Fuzz, fuzz } from './fuzz.ts'

const OWNERS = ['alice', 'bob']
/** What can be fetched; the next one cannot. */
const CIDS = 3

/** What is done to the service, by numbers that choose among what there is. */
type Step =
  | { readonly kind: 'pin' | 'unpin'; readonly cid: number }
  | { readonly kind: 'ask' | 'replace' | 'end'; readonly owner: number; readonly cid: number; readonly at: number }
  | { readonly kind: 'wait' | 'restart' }
  | { readonly kind: 'die'; readonly writes: number }

const owner = fc.nat(OWNERS.length - 1)
const cid = fc.nat(CIDS)
const at = fc.nat(5)

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({ kind: fc.constantFrom('ask' as const, 'ask' as const, 'replace' as const, 'end' as const), owner, cid, at })
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('pin' as const, 'unpin' as const, 'unpin' as const), cid }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('wait' as const, 'restart' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('die' as const), writes: fc.nat(3) }) }
  ),
  { maxLength: 25 }
)

/** A datastore as a process sees it that dies after so many more writes: none of what it does then counts. */
class Mortal {
  left = Number.POSITIVE_INFINITY
  readonly store: Datastore

  constructor(store: Datastore) {
    const dying = async (write: () => unknown) => {
      if (this.left <= 0) throw new Error('the process is dead')
      this.left--
      return write()
    }
    this.store = new Proxy(store, {
      get: (of, name) => {
        if (name === 'batch')
          return () => {
            const batch = of.batch()
            return { ...boundDatastore(batch), commit: () => dying(() => batch.commit()) }
          }
        const value = of[name as keyof Datastore] as unknown
        if (typeof value !== 'function') return value
        return name === 'put' || name === 'delete' ? (...words: unknown[]) => dying(() => value.apply(of, words)) : value.bind(of)
      }
    })
  }
}

function boundDatastore(batch: ReturnType<Datastore['batch']>) {
  return { put: batch.put.bind(batch), delete: batch.delete.bind(batch) }
}

/** One life of the node: its pins and its service, over stores that outlive it. */
class Life {
  readonly mortal: Mortal
  readonly pins: PinStore
  readonly service: PinningService
  readonly worker: Worker

  constructor(made: ReturnType<typeof world>, datastore: Datastore) {
    this.mortal = new Mortal(datastore)
    const w = made.restarted(this.mortal.store)
    this.pins = w
    const settings = pinningServiceSettings.parse({ limits: { parallel: 2 } })
    const log = { info() {}, error() {} } as never
    const table = new RequestTable({ datastore: this.mortal.store, limits: settings.limits })
    const keeping = new Keeping({ datastore: this.mortal.store, pins: w, barrier: new Barrier(), table })
    this.worker = new Worker({ table, keeping, network: undefined, settings, log })
    this.service = new PinningService({ table, keeping, worker: this.worker, network: undefined, denylist: undefined, settings, log })
    this.service.begin()
  }
}

/** Requests as clients were told of them, and pins as the user was. What was not answered may be either. */
class Told {
  readonly requests = OWNERS.map(() => new Map<string, number>())
  readonly users = new Map<number, boolean | undefined>()
}

async function check(plan: readonly Step[]): Promise<void> {
  const datastore = new MemoryDatastore()
  const made = world({ datastore })
  const roots = Array.from({ length: CIDS }, (_, i) => tree(made, 2, 2, `tree ${i}`).root)
  const absent = tree(world(), 1, 1, 'absent').root
  const cids: readonly CID[] = [...roots, absent]
  const told = new Told()
  let life = new Life(made, datastore)
  const reborn = async (isKilled: boolean) => {
    if (isKilled) life.mortal.left = 0
    await life.service.stop()
    await life.pins.stop()
    life = new Life(made, datastore)
  }
  /** @returns whether it was answered */
  const tried = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      if (error instanceof NodeError) return false
      assert.equal((error as Error).message, 'the process is dead')
      await reborn(true)
      return false
    }
  }
  for (const step of plan) {
    if (step.kind === 'wait') await turn()
    else if (step.kind === 'restart') await reborn(false)
    // no life is dying twice: what is dead does not come back
    else if (step.kind === 'die') life.mortal.left = Math.min(life.mortal.left, step.writes)
    else if ('owner' in step) {
      const ofOwner = told.requests[step.owner]!
      const owner = OWNERS[step.owner]!
      const id = step.kind === 'ask' ? undefined : [...ofOwner.keys()][step.at]
      if (id === undefined && step.kind !== 'ask') continue
      // until it is answered, either may be
      if (id !== undefined) ofOwner.delete(id)
      if (step.kind === 'end') await tried(() => life.service.remove({ owner, id: id! }))
      else
        await tried(async () => {
          const made = await life.service.add(owner, { cid: String(cids[step.cid]) }, id)
          ofOwner.set(made.id, step.cid)
        })
    } else if ('cid' in step) {
      const cid = cids[step.cid]!
      const before = told.users.get(step.cid) ?? false
      const work = step.kind === 'pin' ? () => life.pins.add(cid, { name: 'mine' }) : () => life.pins.remove(cid)
      told.users.set(step.cid, undefined)
      const isDone = await tried(work)
      if (isDone) told.users.set(step.cid, step.kind === 'pin')
      // there was nothing to remove
      else if (step.kind === 'unpin' && before === false) told.users.set(step.cid, false)
      if (isDone && step.kind === 'unpin') await tried(() => life.service.recheck(cid))
    }
  }
  // once nothing is under way, and an earlier death has been put in order
  await reborn(true)
  await life.service.settled()
  await verify(life, told, cids)
  await life.service.stop()
}

async function verify(life: Life, told: Told, cids: readonly CID[]): Promise<void> {
  const requests = await all(life.service.list(undefined, new AbortController().signal))
  for (const [i, ofOwner] of told.requests.entries()) {
    for (const [id, which] of ofOwner) {
      const found = requests.find(request => request.id === id && request.owner === OWNERS[i])
      assert.equal(found?.pin.cid, String(cids[which]), 'what a client was told is there')
    }
  }
  for (const { status, pin, details } of requests)
    assert.equal(status, pin.cid === String(cids[CIDS]) ? 'failed' : 'pinned', `${status}: ${details}`)
  const pins = await pinned(life.pins)
  for (const [i, cid] of cids.entries()) {
    const isWanted = i !== CIDS && requests.some(({ pin }) => pin.cid === String(cid))
    const user = told.users.get(i) ?? false
    const isUnsure = told.users.has(i) && told.users.get(i) === undefined
    const pin = pins.find(one => one.startsWith(`${cid} `))
    if (isWanted || (user && i !== CIDS)) assert.ok(pin, `${cid} is wanted, and not pinned`)
    if (user && i !== CIDS && !isUnsure) assert.ok(pin?.endsWith(' recursive mine'), `the user's pin is ${pin}`)
    if (!isWanted && !user && !isUnsure) assert.equal(pin, undefined, 'nobody wants it')
  }
}

/** The pinning service against what its clients and the node's user were told, through restarts and deaths at any write. */
export const pinningModel: Fuzz = fuzz(
  'requests and pins of the pinning service agree, whatever is asked and whenever it dies',
  steps,
  check,
  0.2
)
