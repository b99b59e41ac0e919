import type { Model } from '../explorer.ts'
import {
  type Batch,
  canStep,
  failSync,
  type Process,
  programs,
  type Rule,
  type State,
  type Sync,
  startRun,
  withBatch
} from './sync-model.ts'

/** Callers of a store, at the same time. */
export interface Case {
  /** Blocks that are put and pinned, each by a caller of its own. */
  readonly pin?: readonly string[]
  /** Blocks that are put, removed and put once more. */
  readonly again?: readonly string[]
  /** Pinned blocks that compaction moves. */
  readonly move?: readonly string[]
  /** Syncs of a segment that fail. */
  readonly failures?: number
  readonly limit?: number
  /** What the store does not keep to. */
  readonly broken?: Rule
}

/** A power loss may come in every state: what is on the disk then has to be what was promised. */
export function modelOf({ pin = [], again = [], move = [], failures = 0, limit = 9, broken }: Case): Model<State> {
  const rules = { limit, broken }
  return {
    initial: {
      processes: [
        ...pin.map((block): Process => ({ name: `pin ${block}`, program: 'pin', at: 0, block })),
        ...again.map((block): Process => ({ name: `again ${block}`, program: 'again', at: 0, block })),
        ...(move.length > 0 ? [{ name: 'compact', program: 'compact', at: 0 }] : [])
      ],
      segments: [
        { records: [...move], durable: move.length, isThere: true },
        { records: [], durable: 0, isThere: true }
      ],
      active: 1,
      isAppending: false,
      unsynced: [],
      named: [],
      queue: [],
      disk: {
        keys: Object.fromEntries(move.map((block, index) => [block, { segment: 0, index }])),
        marks: {},
        pins: Object.fromEntries(move.map(block => [block, true] as const))
      },
      log: [],
      durableLog: 0,
      next: {},
      acknowledged: [...move],
      failures: 0,
      told: 0,
      failuresLeft: failures,
      doomed: []
    },
    *next(state, copy) {
      for (const [at, { name, program, at: step }] of state.processes.entries()) {
        if (!canStep(state, state.processes[at]!)) continue
        const after = copy()
        const me = after.processes[at]!
        me.at++
        programs[program]![step]!(after, me, rules)
        yield [`${name}: ${step}`, after]
        if (program !== 'segments' || step !== 2 || state.failuresLeft === 0) continue
        const failed = copy()
        failSync(failed, failed.processes[at]!, rules)
        yield [`${name} fails`, failed]
      }
      if (state.queue.length > 0) yield ['the database writes', written(copy())]
      for (const kind of Object.keys(state.next) as Sync[]) {
        if (!state.next[kind]!.isDue) continue
        const after = copy()
        const { waiters, inherits } = after.next[kind]!
        delete after.next[kind]
        startRun(after, kind, waiters, inherits)
        yield [`the next ${kind} begins`, after]
      }
    },
    fault: state => (state.failures > 0 ? untold(state) : lost(state)),
    faultAtEnd: ({ processes }) => (processes.length > 0 ? `never ends: ${processes.map(({ name }) => name)}` : undefined)
  }
}

function written(state: State): State {
  const { by, batch } = state.queue.shift()!
  state.log.push(batch)
  if (!state.queue.some(other => other.by === by)) delete state.processes.find(({ name }) => name === by)!.waitsFor
  return state
}

/** After a failure it is not promised that blocks are there, only that all who waited were told. */
function untold({ doomed, acknowledged }: State): string | undefined {
  const name = doomed.find(one => acknowledged.includes(one.replace(/^pin /, '')))
  return name && `${name} was not told of the failure`
}

/** The log may have reached the disk to any length from its last sync on. */
function lost(state: State): string | undefined {
  let found = state.disk
  let what = wrong(state, found)
  for (const batch of state.log) {
    found = withBatch(found, batch)
    what ??= wrong(state, found)
  }
  return what
}

function wrong({ segments, acknowledged }: State, { keys, marks, pins }: Required<Batch>): string | undefined {
  const isOnDisk = (block: string) => {
    const place = keys[block]
    return place != null && segments[place.segment]!.isThere && place.index < segments[place.segment]!.durable
  }
  for (const block of Object.keys(keys))
    if (keys[block] !== null && !marks[block] && !isOnDisk(block)) return `${block} is believed, and is not on the disk`
  for (const block of Object.keys(pins)) if (!isOnDisk(block)) return `${block} is pinned, and is not on the disk`
  for (const name of acknowledged)
    if (!/^(compact|move )/.test(name) && !pins[name]) return `the pin of ${name} was acknowledged, and is not on the disk`
  return undefined
}
