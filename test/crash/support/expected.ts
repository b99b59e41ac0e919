/**
 * What a store has to hold after a crash. Everything that is asked of a node, and everything it acknowledges, is written to a file outside
 * of its repo as it happens; what was asked but not answered may have happened or not, and stays as it is found from then on.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { CID } from 'multiformats/cid'

/** `recursive NAME`, `direct NAME`, or `none`. */
export type PinState = string
type BlockState = 'there' | 'maybe' | 'gone'

export interface PinChange {
  readonly cid: string
  readonly to: PinState
}

/** What a file, a directory, a key, a value of the configuration, … is, in one word; `none`; or `*` for one that only the answer tells. */
export type State = string

export interface StateChange {
  /** A path of the mutable tree, or a word for what kind it is, and its name. */
  readonly of: string
  readonly to: State
}

/** What one request changes. */
export interface Effects {
  readonly pins?: readonly PinChange[]
  /** Blocks that are stored, by any of their CIDs. */
  readonly stored?: readonly string[]
  readonly removed?: readonly string[]
  /** Roots whose whole graphs are stored. */
  readonly roots?: readonly string[]
  /** The request pins what only its answer names. */
  readonly pinsUnnamed?: number
  /** What else there is than pins and blocks. */
  readonly states?: readonly StateChange[]
  /** Its changes of states may be lost although they are acknowledged. */
  readonly isUnflushed?: boolean
  /** The path that the node's own name is made to lead to. */
  readonly publishes?: string
  /** All blocks that nothing keeps may go. */
  readonly collects?: boolean
}

export interface Asked {
  readonly op: string
  readonly effects: Effects
}

/** The key of a block: its CID of version 1, raw. */
export function keyOf(cid: string): string {
  return CID.createV1(0x55, CID.parse(cid).multihash).toString()
}

/** The empty UnixFS directory, which every node keeps from its first start. */
const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** Its key. The mutable tree stores it again whenever a folder of its own is empty. */
const EMPTY_KEY = keyOf(EMPTY_DIRECTORY)

function isState(found: State, to: State): boolean {
  return found === to || (to === '*' && found !== 'none')
}

export class Expected {
  readonly #file: string
  readonly #pins = new Map<string, Set<PinState>>([[EMPTY_DIRECTORY, new Set(['recursive '])]])
  /** A new node looks for others in its network. */
  readonly #states = new Map<string, Set<State>>([['mdns', new Set(['true'])]])
  readonly #blocks = new Map<string, BlockState>()
  readonly #closures = new Map<string, readonly string[]>()
  /** Roots that were acknowledged but whose graphs were not walked yet. */
  readonly #unwalked = new Set<string>()
  readonly #open = new Set<Asked>()
  readonly answered = new Map<string, number>()
  readonly interrupted = new Map<string, number>()
  readonly #taken = new Set<string>()
  #collecting = false
  /** Where the node's own name may lead. */
  #paths = new Set([`/ipfs/${EMPTY_DIRECTORY}`])
  #publishing = false
  #configuring = 0
  #replacing = false

  constructor(file: string) {
    this.#file = file
  }

  ask(op: string, effects: Effects): Asked {
    const asked = { op, effects }
    this.#write('asked', op, effects)
    this.#open.add(asked)
    for (const { cid, to } of effects.pins ?? []) this.#pinStates(cid).add(to)
    for (const cid of effects.removed ?? []) this.#blocks.set(keyOf(cid), 'maybe')
    for (const { of, to } of effects.states ?? []) this.#statesOf(of).add(to)
    if (effects.collects) this.#collecting = true
    if (effects.publishes !== undefined) this.#paths.add(effects.publishes)
    return asked
  }

  /** @param more - what the answer said */
  answer(asked: Asked, more: Effects = {}): void {
    this.#write('answered', asked.op, more)
    this.#open.delete(asked)
    this.answered.set(asked.op, (this.answered.get(asked.op) ?? 0) + 1)
    for (const { cid, to } of [...(asked.effects.pins ?? []), ...(more.pins ?? [])]) this.#pins.set(cid, new Set([to]))
    const known = [...(asked.effects.states ?? []), ...(more.states ?? [])]
    if (!asked.effects.isUnflushed) for (const { of, to } of known) this.#states.set(of, new Set([to]))
    for (const cid of asked.effects.removed ?? []) this.#blocks.set(keyOf(cid), 'gone')
    if (asked.effects.publishes !== undefined) this.#paths = new Set([asked.effects.publishes])
    for (const cid of [...(asked.effects.stored ?? []), ...(more.stored ?? [])]) this.#blocks.set(keyOf(cid), 'there')
    for (const cid of [...(asked.effects.roots ?? []), ...(more.roots ?? [])]) this.#unwalked.add(cid)
  }

  /** The answer was an error: what it changed is not known. */
  refused(asked: Asked, why: string): void {
    this.#write('refused', asked.op, { why })
  }

  /** One of the pins about which there is no doubt, for nobody else to take until it is given back. */
  take(modes: RegExp, choose: (end: number) => number): PinChange | undefined {
    const free = [...this.#pins].filter(([cid, states]) => states.size === 1 && modes.test([...states][0]!) && !this.#taken.has(cid))
    const chosen = free[choose(free.length)]
    if (chosen === undefined) return undefined
    this.#taken.add(chosen[0])
    return { cid: chosen[0], to: [...chosen[1]][0]! }
  }

  /** One of what such words say about which there is no doubt, for nobody else to take until it is given back. */
  takeState(kind: RegExp, choose: (end: number) => number): string | undefined {
    const free = [...this.#states].filter(([of, states]) => {
      const isSure = states.size === 1 && !states.has('none') && !states.has('*')
      return isSure && kind.test(of) && !this.#taken.has(of)
    })
    const of = free[choose(free.length)]?.[0]
    if (of !== undefined) this.#taken.add(of)
    return of
  }

  /** What something that was taken is. */
  stateOf(of: string): State {
    return [...this.#statesOf(of)][0]!
  }

  /** All of a kind that was ever asked for. */
  statesOf(kind: RegExp): string[] {
    return [...this.#states.keys()].filter(of => kind.test(of))
  }

  /** Runs `publish` unless the name is being published already: of two at once, either may be the last. */
  async alone(publish: () => Promise<unknown>): Promise<void> {
    if (this.#publishing) return
    this.#publishing = true
    try {
      await publish()
    } finally {
      this.#publishing = false
    }
  }

  /** Runs `change` unless a whole configuration is being put in place, which holds only what there was when it was read. */
  async configuring(change: () => Promise<unknown>, isWhole = false): Promise<void> {
    if (this.#replacing || (isWhole && this.#configuring > 0)) return
    this.#configuring++
    this.#replacing = isWhole
    try {
      await change()
    } finally {
      this.#configuring--
      this.#replacing = false
    }
  }

  /** The node was killed, and its name leads here. @returns what contradicts the file */
  holdName(path: string): string[] {
    const wrong = this.#paths.has(path) ? [] : [`its name leads to ${path}, not ${[...this.#paths].join(' or ')}`]
    this.#paths = new Set([path])
    return wrong
  }

  /** What was written last, to see what led to a loss. */
  story(lines: number): string {
    return readFileSync(this.#file, 'utf8').split('\n').slice(-lines).join('\n')
  }

  giveBack(taken: string): void {
    this.#taken.delete(taken)
  }

  /** What a node that stands again has. Whatever contradicts what was acknowledged is returned. */
  holdStates(found: ReadonlyMap<string, State>): string[] {
    const wrong: string[] = []
    for (const of of found.keys()) if (!this.#states.has(of)) wrong.push(`${of}: nobody asked for it`)
    for (const [of, states] of this.#states) {
      const state = found.get(of) ?? 'none'
      if (![...states].some(to => isState(state, to))) wrong.push(`${of}: is ${state}, not ${[...states].join(' or ')}`)
      this.#states.set(of, new Set([state]))
    }
    for (const { op, effects } of this.#open) {
      const done = (effects.states ?? []).map(({ of, to }) => isState(found.get(of) ?? 'none', to))
      if (new Set(done).size > 1) wrong.push(`half of ${op}: ${JSON.stringify(effects.states)}`)
    }
    return wrong
  }

  /**
   * The node was killed, and stands again with these pins and blocks. Whatever contradicts the file is returned, a line each.
   *
   * @param walk - loads the graph below a root, holds every block against its hash, and answers their keys
   */
  async hold(
    pins: ReadonlyMap<string, PinState>,
    blocks: ReadonlySet<string>,
    walk: (root: string) => Promise<readonly string[]>,
    { unpinnedMayGo = false } = {}
  ): Promise<string[]> {
    const wrong: string[] = []
    this.#holdUnanswered(pins, wrong)
    for (const [cid, states] of this.#pins) {
      const found = pins.get(cid) ?? 'none'
      if (!states.has(found)) wrong.push(`${cid}: pinned ${found}, not ${[...states].join(' or ')}`)
      this.#pins.set(cid, new Set([found]))
    }
    const kept = new Set<string>()
    for (const [cid, state] of pins) {
      this.#pins.set(cid, new Set([state]))
      const below = state.startsWith('recursive') ? await this.#closure(cid, walk, wrong) : [keyOf(cid)]
      for (const key of below) {
        kept.add(key)
        if (!blocks.has(key)) wrong.push(`${key} below ${cid}, pinned ${state}: missing`)
        this.#blocks.set(key, 'there')
      }
    }
    const loose = this.#collecting || unpinnedMayGo
    if (!loose) for (const root of this.#unwalked) for (const key of await this.#closure(root, walk, wrong)) this.#blocks.set(key, 'there')
    for (const [key, state] of this.#blocks) {
      const isThere = blocks.has(key)
      if (state === 'there' && !isThere && !(loose && !kept.has(key))) wrong.push(`${key}: stored, but missing`)
      if (state === 'gone' && isThere && key !== EMPTY_KEY && !(unpinnedMayGo || kept.has(key))) wrong.push(`${key}: removed, but there`)
      this.#blocks.set(key, isThere ? 'there' : 'gone')
    }
    for (const { op } of this.#open) this.interrupted.set(op, (this.interrupted.get(op) ?? 0) + 1)
    this.#open.clear()
    this.#unwalked.clear()
    this.#taken.clear()
    this.#collecting = false
    this.#write('held', `${pins.size} pins, ${blocks.size} blocks`, { wrong })
    return wrong
  }

  /** Pins that no answer named come from requests that were not answered; what changes together did so or not at all. */
  #holdUnanswered(pins: ReadonlyMap<string, PinState>, wrong: string[]): void {
    const unnamed = [...this.#open].reduce((sum, { effects }) => sum + (effects.pinsUnnamed ?? 0), 0)
    const unknown = [...pins.keys()].filter(cid => !this.#pins.has(cid))
    if (unknown.length > unnamed) wrong.push(`pins that nobody asked for: ${unknown.join(' ')}`)
    for (const { op, effects } of this.#open) {
      const done = (effects.pins ?? []).map(({ cid, to }) => (pins.get(cid) ?? 'none') === to)
      if (new Set(done).size > 1) wrong.push(`half of ${op}: ${JSON.stringify(effects.pins)}`)
    }
  }

  async #closure(root: string, walk: (root: string) => Promise<readonly string[]>, wrong: string[]): Promise<readonly string[]> {
    const known = this.#closures.get(root)
    if (known !== undefined) return known
    try {
      const keys = await walk(root)
      this.#closures.set(root, keys)
      return keys
    } catch (error) {
      wrong.push(`below ${root}, ${[...(this.#pins.get(root) ?? ['not pinned'])].join(' or ')}: ${(error as Error).message}`)
      return []
    }
  }

  #pinStates(cid: string): Set<PinState> {
    const states = this.#pins.get(cid) ?? new Set(['none'])
    this.#pins.set(cid, states)
    return states
  }

  #statesOf(of: string): Set<State> {
    const states = this.#states.get(of) ?? new Set(['none'])
    this.#states.set(of, states)
    return states
  }

  #write(what: string, op: string, about: object): void {
    appendFileSync(this.#file, `${JSON.stringify({ what, op, ...about })}\n`)
  }
}
