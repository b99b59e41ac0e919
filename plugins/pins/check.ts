import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../core/cid/codes.ts'
import { openPb } from '../../core/dag/index.ts'
import { type Blocks, type Dag, messageOf, type Pins } from '../../core/index.ts'
import { Turns } from '../../core/turns.ts'
import { Marks } from './collection/marks.ts'

interface BadNode {
  readonly cid: CID
  /** Why it cannot be used. */
  readonly reason: string
}

interface PinStatus {
  readonly cid: CID
  /** Nodes that are missing or broken, each once. What lies below them is unknown. */
  readonly bad: readonly BadNode[]
}

interface Options {
  signal?: AbortSignal
  /** Bytes of nodes that wait for their links to be followed, beyond which these are read again. Default 8 MiB. */
  most?: number
}

/** Links of a node, in its order. A CID may be a view of the node's bytes. */
interface Linked {
  readonly length: number
  cid(index: number): CID
}

/** A node whose links are read again when it is their turn, as too many are held. */
interface Later {
  readonly cid: CID
}

/** What a look at a node finds: nothing where it is whole and has no links. */
type Found = Level | Later | BadNode | undefined

/** Links that are being followed: those from `next` on were not asked for. What was found of those before comes first. */
interface Level {
  readonly linked: Linked
  /** Bytes of memory that they take. */
  readonly held: number
  next: number
  /** The look at those before `next` that is under way. */
  ahead: Promise<readonly Found[]> | undefined
  readonly found: Array<Level | Later | BadNode>
}

/** Blocks that are looked up together, half of the time of a look-up of one goes into the call; and where each is asked for alone. */
const AT_ONCE = 256
const ALONE_AT_ONCE = 32
const MOST_HELD = 8 << 20
/** The bytes of a CID say its codec themselves. */
const ANY_CODEC = 0

/** Whether the graphs of recursive pins are whole, by what is stored here alone, each block held against its hash; in the order of listing. */
export async function* checkPins(pins: Pins, blocks: Blocks, dag: Dag, options: Options): AsyncGenerator<PinStatus> {
  const check = new Check(blocks, dag, options)
  for await (const { cid } of pins.list({ mode: 'recursive', signal: options.signal })) yield { cid, bad: await check.graphOf(cid) }
}

/** Goes through graphs depth first, links in order, and looks at many links of a node together. */
class Check {
  readonly #blocks: Blocks
  readonly #dag: Dag
  readonly #signal: AbortSignal | undefined
  readonly #turns: Turns
  readonly #atOnce: number
  readonly #most: number
  /** Nodes below which all is well, and those of the graph that is being checked. */
  #good = new Marks()
  #seen = this.#good
  #held = 0

  constructor(blocks: Blocks, dag: Dag, { signal, most = MOST_HELD }: Options) {
    this.#blocks = blocks
    this.#dag = dag
    this.#signal = signal
    this.#turns = new Turns(signal)
    this.#atOnce = blocks.readAll === undefined ? ALONE_AT_ONCE : AT_ONCE
    this.#most = most
  }

  async graphOf(root: CID): Promise<BadNode[]> {
    const bad: BadNode[] = []
    this.#seen = new Marks(this.#good)
    this.#held = 0
    const levels: Level[] = [levelOf(listOf([root]), 0)]
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const found = level.found.shift()
      if (found === undefined && !isOver(level)) {
        await this.#look(level)
        continue
      }
      // A node whose last link is being followed is done with: a chain of any length keeps one level.
      if (level.found.length === 0 && isOver(level)) this.#held -= levels.pop()!.held
      const isLater = found !== undefined && !('linked' in found || 'reason' in found)
      const below = isLater ? await this.#alone(found.cid, Number.POSITIVE_INFINITY) : found
      if (below === undefined) continue
      if ('reason' in below) bad.push(below)
      else if ('linked' in below) {
        levels.push(below)
        this.#ask(below)
        // What comes next is read while this is checked.
        const [next] = level.found
        if (next !== undefined && 'linked' in next) this.#ask(next)
      }
    }
    if (bad.length === 0) this.#good = this.#good.with(this.#seen)
    return bad
  }

  /** Waits for what is found of the next links, while those behind them are read. */
  async #look(level: Level): Promise<void> {
    if (this.#turns.due) await this.#turns.take()
    this.#ask(level)
    const asked = level.ahead
    level.ahead = undefined
    this.#ask(level)
    for (const found of (await asked) ?? []) if (found !== undefined) level.found.push(found)
  }

  #ask(level: Level): void {
    if (level.ahead !== undefined || level.next === level.linked.length) return
    level.ahead = this.#next(level)
    // Nobody may come to it any more.
    level.ahead.catch(() => {})
  }

  /** Looks at the next links that nobody saw. */
  async #next(level: Level): Promise<readonly Found[]> {
    this.#signal?.throwIfAborted()
    const cids: CID[] = []
    for (; level.next < level.linked.length && cids.length < this.#atOnce; level.next++) {
      const cid = level.linked.cid(level.next)
      if (!this.#good.hasUnder(cid.bytes, ANY_CODEC) && this.#seen.add(cid.bytes, ANY_CODEC)) cids.push(cid)
    }
    if (cids.length === 0) return []
    const how = { signal: this.#signal, checked: true, transient: true, cold: true }
    // What several reads could not do, or find, is for one to say.
    const read = (await this.#blocks.readAll?.(cids, how).catch(() => [])) ?? []
    this.#signal?.throwIfAborted()
    // One that lies beside the database is let go of as soon as it was read.
    const late = (cid: CID, reading: Promise<Uint8Array | undefined>) =>
      reading.catch(() => undefined).then(bytes => (bytes === undefined ? this.#alone(cid) : this.#found(cid, bytes)))
    const all = cids.map((cid, i) => {
      const bytes = read[i]
      if (bytes instanceof Promise) return late(cid, bytes)
      return bytes === undefined ? this.#alone(cid) : this.#found(cid, bytes)
    })
    return all.some(one => one instanceof Promise) ? Promise.all(all) : (all as readonly Found[])
  }

  /** @param most - bytes that may be held for it */
  async #alone(cid: CID, most?: number): Promise<Found> {
    try {
      const bytes = await this.#blocks.get(cid, { signal: this.#signal, offline: true, checked: true, transient: true })
      return this.#found(cid, bytes, most)
    } catch (error) {
      this.#signal?.throwIfAborted()
      return { cid, reason: messageOf(error) }
    }
  }

  #found(cid: CID, bytes: Uint8Array, most = this.#most - this.#held): Found {
    if (cid.code === RAW) return undefined
    try {
      const linked = this.#linksOf(cid, bytes)
      if (linked.length === 0) return undefined
      const held = bytes.byteLength
      if (held > most) return { cid }
      this.#held += held
      return levelOf(linked, held)
    } catch (error) {
      return { cid, reason: messageOf(error) }
    }
  }

  #linksOf(cid: CID, bytes: Uint8Array): Linked {
    return cid.code === DAG_PB ? openPb(bytes) : listOf(this.#dag.links(cid, bytes).map(link => link.cid))
  }
}

function levelOf(linked: Linked, held: number): Level {
  return { linked, held, next: 0, ahead: undefined, found: [] }
}

/** Whether all links were looked at. */
function isOver({ linked, next, ahead }: Level): boolean {
  return next === linked.length && ahead === undefined
}

function listOf(cids: readonly CID[]): Linked {
  return { length: cids.length, cid: index => cids[index]! }
}
