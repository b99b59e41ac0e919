/**
 * What the store does until a pin is acknowledged, without bytes: appends to segments, marks, the log, the two shared syncs, compaction.
 * A step is what happens between one call to the system or the database and the next. See docs/durability.md.
 */

/** A rule of the protocol, which a test may have broken to see that the exploration finds out. */
export type Rule =
  | 'one sync of segments for all'
  | 'one run at a time'
  | 'a failure reaches all who wait'
  | 'an appended block names its segment again'
  | 'blocks before their pin'
  | 'a key and its mark are one batch'
  | 'a block is named before its mark is written'
  | 'marks of blocks written anew stay'
  | 'moved bytes before their key'
  | 'moved keys before the segment goes'

interface Place {
  readonly segment: number
  readonly index: number
}

interface Segment {
  /** Blocks, in the order of their bytes. */
  readonly records: string[]
  /** How many of them are on the disk. */
  durable: number
  isThere: boolean
}

/** Changes that the database writes as one; `null` for a key that goes, false for a mark that does. */
export interface Batch {
  readonly keys?: Readonly<Record<string, Place | null>>
  readonly marks?: Readonly<Record<string, boolean>>
  readonly pins?: Readonly<Record<string, true>>
}

export type Sync = 'store' | 'segments'

export interface Process {
  readonly name: string
  readonly program: string
  /** The next step. */
  at: number
  waitsFor?: Sync | 'write'
  /** Of what it waited for. */
  hasFailed?: boolean
  /** The failures that somebody had been told of when it began to wait. */
  told?: number
  /** Of a run: those who are told of its end, and whether the run before failed while they waited already. */
  readonly waiters?: readonly string[]
  readonly inherits?: boolean
  readonly block?: string
  place?: Place
  /** Of a sync of the store: the blocks that it takes to the disk. */
  settled?: string[]
  /** Of a sync of segments: those that are left. */
  taken?: number[]
  /** How much was there when the sync of a segment, or of the log, began. */
  length?: number
}

export interface State {
  processes: Process[]
  readonly segments: Segment[]
  active: number
  isAppending: boolean
  /** Segments that the next sync has to take to the disk, and blocks whose marks it takes away. */
  unsynced: number[]
  named: string[]
  readonly queue: Array<{ readonly by: string; readonly batch: Batch }>
  /** What of the log has reached the disk, as one, and what has not for sure. */
  disk: Required<Batch>
  log: Batch[]
  durableLog: number
  /** The run after the one that is under way; due once that has ended. */
  readonly next: { [kind in Sync]?: { readonly waiters: string[]; inherits: boolean; isDue: boolean } }
  readonly acknowledged: string[]
  failures: number
  /** How many of them some caller of the store's sync was told of. */
  told: number
  failuresLeft: number
  /** Those who waited for a sync when one failed. */
  doomed: string[]
}

export interface Rules {
  /** Records after which the next segment begins. */
  readonly limit: number
  readonly broken: Rule | undefined
}

type Step = (state: State, me: Process, rules: Rules) => void

const append: readonly Step[] = [
  (state, me, { limit }) => {
    if (state.segments[state.active]!.records.length >= limit) {
      state.active = state.segments.length
      state.segments.push({ records: [], durable: 0, isThere: true })
    }
    me.place = { segment: state.active, index: state.segments[state.active]!.records.length }
    include(state.unsynced, state.active)
    state.isAppending = true
  },
  (state, me) => {
    state.segments[me.place!.segment]!.records.push(me.block!)
    state.isAppending = false
  }
]

const writeKey: Step = (state, me, { broken }) => {
  if (broken !== 'a block is named before its mark is written') name(state, me, broken)
  const [keys, marks] = [{ [me.block!]: me.place! }, { [me.block!]: true }]
  if (broken === 'a key and its mark are one batch') write(state, me, { keys })
  write(state, me, broken === 'a key and its mark are one batch' ? { marks } : { keys, marks })
}

const put: readonly Step[] = [...append, writeKey, (state, me, { broken }) => name(state, me, broken)]

/** What each kind of process does, step by step. */
export const programs: Readonly<Record<string, readonly Step[]>> = {
  pin: [
    ...append,
    writeKey,
    (state, me, rules) => {
      if (rules.broken === 'a block is named before its mark is written') name(state, me, rules.broken)
      if (rules.broken !== 'blocks before their pin') ask(state, me, 'store', rules)
    },
    (state, me) => (me.hasFailed ? end(state, me) : write(state, me, { pins: { [me.block!]: true } })),
    (state, me, rules) => ask(state, me, 'store', rules),
    (state, me) => {
      if (!me.hasFailed) state.acknowledged.push(me.block!)
      end(state, me)
    }
  ],
  again: [...put, (state, me) => write(state, me, { keys: { [me.block!]: null } }), ...put, (state, me) => end(state, me)],
  compact: [
    (state, me, rules) => ask(state, me, 'store', rules),
    (state, me) => {
      if (me.hasFailed) return end(state, me)
      for (const block of state.segments[0]!.records) state.processes.push({ name: `move ${block}`, program: 'move', at: 0, block })
    },
    (state, me, rules) => {
      if (!me.hasFailed && rules.broken !== 'moved keys before the segment goes') ask(state, me, 'store', rules)
    },
    (state, me) => {
      if (!me.hasFailed) {
        state.segments[0]!.isThere = false
        state.acknowledged.push(me.name)
      }
      end(state, me)
    }
  ],
  move: [
    ...append,
    (state, me, rules) => {
      if (rules.broken === 'moved bytes before their key') return
      if (rules.broken !== 'an appended block names its segment again') include(state.unsynced, me.place!.segment)
      ask(state, me, 'segments', rules)
    },
    (state, me, rules) => {
      if (!me.hasFailed) return writeKey(state, me, rules)
      state.processes.find(({ program }) => program === 'compact')!.hasFailed = true
      end(state, me)
    },
    (state, me) => {
      state.acknowledged.push(me.name)
      end(state, me)
    }
  ],
  store: [
    (state, me, rules) => {
      me.settled = state.named
      state.named = []
      ask(state, me, 'segments', rules)
    },
    (state, me) => {
      me.length = state.durableLog + state.log.length
    },
    (state, me) => {
      for (; !me.hasFailed && state.durableLog < me.length!; state.durableLog++) state.disk = withBatch(state.disk, state.log.shift()!)
      delete me.length
    },
    (state, me, { broken }) => {
      if (me.hasFailed) {
        for (const block of me.settled!) include(state.named, block)
        return
      }
      const gone = me.settled!.filter(block => broken === 'marks of blocks written anew stay' || !state.named.includes(block))
      if (gone.length > 0) write(state, me, { marks: Object.fromEntries(gone.map(block => [block, false])) })
    },
    (state, me, rules) => endRun(state, me, me.hasFailed === true, rules)
  ],
  segments: [
    (state, me, rules) => {
      me.taken = state.unsynced
      state.unsynced = []
      if (me.taken.length === 0) endRun(state, me, false, rules)
    },
    (state, me) => {
      me.length = state.segments[me.taken![0]!]!.records.length
    },
    (state, me, rules) => {
      const segment = state.segments[me.taken!.shift()!]!
      segment.durable = Math.max(segment.durable, me.length!)
      delete me.length
      if (me.taken!.length > 0) me.at = 1
      else endRun(state, me, false, rules)
    }
  ]
}

/** Whether it waits for nobody. */
export function canStep(state: State, { waitsFor, program, at }: Process): boolean {
  if (waitsFor !== undefined) return false
  if (programs[program]![at] === append[0]) return !state.isAppending
  // All that it moves has been moved.
  return program !== 'compact' || at !== 2 || !state.processes.some(other => other.program === 'move')
}

/** The sync of a segment that `me` has begun fails. What the disk lost it does not report a second time. */
export function failSync(state: State, me: Process, rules: Rules): void {
  for (const segment of me.taken!) include(state.unsynced, segment)
  state.failuresLeft--
  state.failures++
  for (const { waitsFor, name: waiting } of state.processes)
    if (waitsFor === 'store' || waitsFor === 'segments') include(state.doomed, waiting)
  endRun(state, me, true, rules)
}

export function startRun(state: State, kind: Sync, waiters: readonly string[], inherits = false): void {
  let number = 0
  while (state.processes.some(({ name: taken }) => taken === `${kind} ${number}`)) number++
  state.processes.push({ name: `${kind} ${number}`, program: kind, at: 0, waiters, inherits })
  state.processes.sort((one, other) => (one.name < other.name ? -1 : 1))
}

export function isRunning(state: State, kind: Sync): boolean {
  return state.processes.some(({ program }) => program === kind)
}

function ask(state: State, me: Process, kind: Sync, { broken }: Rules): void {
  me.waitsFor = kind
  me.told = state.told
  const next = state.next[kind]
  const isBusy = isRunning(state, kind)
  if (kind === 'segments' && broken === 'one sync of segments for all') startRun(state, kind, [me.name])
  else if (next !== undefined && (isBusy || broken !== 'one run at a time')) include(next.waiters, me.name)
  else if (isBusy) state.next[kind] = { waiters: [me.name], inherits: false, isDue: false }
  else startRun(state, kind, [me.name])
}

/** The run of those who waited for the next begins some moments after the one before has ended. */
function endRun(state: State, me: Process, hasFailed: boolean, { broken }: Rules): void {
  end(state, me)
  const reaches = broken !== 'a failure reaches all who wait'
  const next = state.next[me.program as Sync]
  if (next !== undefined) next.isDue = true
  if (hasFailed && reaches && next !== undefined) next.inherits = true
  for (const waiter of state.processes) {
    if (!me.waiters!.includes(waiter.name)) continue
    const isUntold = me.program === 'store' && waiter.told !== state.failures
    delete waiter.waitsFor
    delete waiter.told
    if (isUntold) state.told = state.failures
    if (hasFailed || (reaches && (me.inherits || isUntold))) waiter.hasFailed = true
  }
}

/** What the disk says once a batch has reached it too. */
export function withBatch(disk: Required<Batch>, { keys, marks, pins }: Batch): Required<Batch> {
  return { keys: { ...disk.keys, ...keys }, marks: { ...disk.marks, ...marks }, pins: { ...disk.pins, ...pins } }
}

function write(state: State, me: Process, batch: Batch): void {
  me.waitsFor = 'write'
  state.queue.push({ by: me.name, batch })
}

function end(state: State, me: Process): void {
  state.processes = state.processes.filter(other => other !== me)
}

function name(state: State, { block, place }: Process, broken: Rule | undefined): void {
  include(state.named, block!)
  if (broken !== 'an appended block names its segment again') include(state.unsynced, place!.segment)
}

/** Sorted, as all lists are whose order says nothing. */
function include<T>(list: T[], item: T): void {
  if (list.includes(item)) return
  list.push(item)
  list.sort()
}
