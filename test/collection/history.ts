import type { CID } from 'multiformats/cid'
import { fastBlocks } from '../../core/blocks/fast.ts'
import { parseCid } from '../../core/cid/parse.ts'
import { type AnyProvision, Blockstore, type FastBlocks } from '../../core/index.ts'
import { type NodeHost } from '../../host/host.ts'
import { linesOf, upload } from '../plugins/blocks/host.ts'
import type { Random } from './random.ts'
import { car, leaf, linksOf, node, sha256, universe, type Vertex } from './universe.ts'

/** What every node keeps from its first start. */
const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

interface Root {
  readonly cid: CID
  readonly mode: 'recursive' | 'direct'
}

export interface HistoryOptions {
  readonly host: NodeHost
  readonly random: Random
  readonly workers: number
  /** Of each worker. */
  readonly steps: number
}

export type Services = readonly AnyProvision[]

/**
 * Lets some workers add, pin, unpin, put, remove and import at a time, while others collect, and keeps account of its own of what was
 * acknowledged as pinned. Knows nothing of how a collection works, only what a node promises: what is pinned is there.
 */
export class History {
  /** What was found wrong. */
  readonly violations: string[] = []
  /** How often each operation was acknowledged. */
  readonly counts = new Map<string, number>()
  readonly #host: NodeHost
  readonly #random: Random
  readonly #options: HistoryOptions
  readonly #store: FastBlocks
  readonly #vertices: Vertex[]
  readonly #pinned = new Map<string, Root>()
  /** CIDs whose pins a worker is about to change. */
  readonly #claimed = new Set<string>()
  readonly #imports: boolean
  #unique = 0

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#host = options.host
    this.#random = options.random
    this.#store = fastBlocks(options.host.service(Blockstore)!)
    this.#vertices = universe(options.random)
    this.#imports = options.host.commands().some(({ path }) => path === 'dag/import')
  }

  async play(): Promise<void> {
    const { workers, steps } = this.#options
    let working = true
    const collecting = (async () => {
      while (working) await this.#collect()
    })()
    const work = async () => {
      for (let i = 0; i < steps; i++) await this.#step()
    }
    await Promise.all(Array.from({ length: workers }, work))
    working = false
    await collecting
    await this.#end()
  }

  #step(): Promise<void> {
    const steps: ReadonlyArray<readonly [weight: number, step: () => Promise<void>]> = [
      [6, () => this.#pinGraph()],
      [4, () => this.#unpin()],
      [3, () => this.#add()],
      [3, () => this.#update()],
      [3, () => this.#extend()],
      [2, () => this.#pinDirect()],
      [3, () => this.#removeBlock()],
      [2, () => this.#putLoose()],
      [1, () => this.#leave()],
      [this.#imports ? 4 : 0, () => this.#import()]
    ]
    let at = this.#random.below(steps.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, step] of steps) {
      if (at < weight) return step()
      at -= weight
    }
    throw new Error('no step')
  }

  async #pinGraph(): Promise<void> {
    await this.#claiming(this.#random.pick(this.#vertices).cid, async cid => {
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      if (this.#random.chance(0.8)) await this.#put(vertex.graph)
      const before = this.#pinned.get(cid.toString())
      try {
        await this.#call('pin/add', [cid])
      } catch (error) {
        if (before?.mode === 'recursive') this.#violated(`${cid} was pinned, but to pin it again fails: ${(error as Error).message}`)
        return
      }
      await this.#acknowledged('pin/add', { cid, mode: 'recursive' })
    })
  }

  async #pinDirect(): Promise<void> {
    await this.#claiming(this.#random.pick(this.#vertices).cid, async cid => {
      if (this.#pinned.has(cid.toString())) return
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      if (this.#random.chance(0.8)) await this.#put([vertex])
      try {
        await this.#call('pin/add', [cid], { recursive: false })
      } catch {
        return
      }
      await this.#acknowledged('pin/add, direct', { cid, mode: 'direct' })
    })
  }

  async #unpin(): Promise<void> {
    await this.#claimingPinned(async ({ cid }) => this.#remove(cid))
  }

  async #remove(cid: CID): Promise<void> {
    this.#pinned.delete(cid.toString())
    await this.#call('pin/rm', [cid])
    this.#count('pin/rm')
  }

  async #update(): Promise<void> {
    await this.#claimingPinned(async from => {
      if (from.mode === 'direct') return
      await this.#claiming(this.#random.pick(this.#vertices).cid, async cid => {
        if (this.#pinned.has(cid.toString())) return
        const vertex = this.#vertices.find(one => one.cid.equals(cid))!
        if (this.#random.chance(0.8)) await this.#put(vertex.graph)
        try {
          await this.#call('pin/update', [from.cid, cid])
        } catch {
          return
        }
        this.#pinned.delete(from.cid.toString())
        await this.#acknowledged('pin/update', { cid, mode: 'recursive' })
      })
    })
  }

  /** A file of chunks that other files have as well, and one of its own. */
  async #add(): Promise<void> {
    const chunks = [this.#name(), ...Array.from({ length: this.#random.below(8) }, () => `chunk ${this.#random.below(10)}`)]
    const data = chunks.map(chunk => chunk.padEnd(16)).join('')
    const options = { chunker: 'size-16', cidVersion: 1, rawLeaves: this.#random.chance(0.7) }
    const { lines } = await this.#lines<{ Hash: string }>('add', { body: upload({ data }), options })
    await this.#acknowledged('add', { cid: parseCid(lines.at(-1)!.Hash), mode: 'recursive' })
  }

  /** Pins a new node above a graph that is kept, and often ends what kept it before. */
  async #extend(): Promise<void> {
    await this.#claimingPinned(async before => {
      if (before.mode === 'direct') return
      const above = node(this.#name(), [{ cid: before.cid, bytes: new Uint8Array(), graph: [] }])
      const command = this.#random.pick([
        { path: 'block/put', options: { cidCodec: 'dag-cbor', pin: true } },
        { path: 'dag/put', options: { inputCodec: 'dag-cbor', pin: true } }
      ])
      await this.#lines(command.path, { body: upload({ data: above.bytes }), options: command.options })
      await this.#acknowledged(`${command.path}, pinned`, { cid: above.cid, mode: 'recursive' })
      if (this.#random.chance(0.6)) await this.#remove(before.cid)
    })
  }

  async #import(): Promise<void> {
    await this.#claiming(this.#random.pick(this.#vertices).cid, async cid => {
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      const { lines } = await this.#lines<{ Root?: { PinErrorMsg: string } }>('dag/import', { body: upload({ data: car(vertex) }) })
      if (lines.some(({ Root }) => Root?.PinErrorMsg === '')) await this.#acknowledged('dag/import', { cid, mode: 'recursive' })
      else this.#violated(`dag/import of ${cid} answered ${JSON.stringify(lines)}`)
    })
  }

  async #removeBlock(): Promise<void> {
    const cids = Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(this.#vertices).cid)
    for await (const _ of (await this.#call('block/rm', cids, { force: true })) as AsyncIterable<unknown>);
    this.#count('block/rm')
  }

  async #putLoose(): Promise<void> {
    await this.#put([this.#random.pick(this.#vertices), leaf(this.#name())])
    this.#count('block/put')
  }

  /** Begins to add something that is not to be pinned, and leaves. */
  async #leave(): Promise<void> {
    const leave = new AbortController()
    const data = Array.from({ length: 6 }, (_, i) => `chunk ${i}`.padEnd(16)).join('')
    const options = { chunker: 'size-16', cidVersion: 1, pin: false }
    const adding = this.#lines('add', { body: upload({ data }), options, signal: leave.signal }).catch(() => {})
    for (let i = this.#random.below(20); i > 0; i--) await new Promise(resolve => setImmediate(resolve))
    leave.abort()
    await adding
  }

  /** Sometimes left before its end. What is broken meanwhile by an unpinning and a removal may stop it. */
  async #collect(): Promise<void> {
    let left = this.#random.chance(0.8) ? Number.POSITIVE_INFINITY : this.#random.below(10)
    try {
      for await (const _ of (await this.#call('repo/gc', [], { streamErrors: true })) as AsyncIterable<unknown>) if (left-- <= 0) break
      this.#count('repo/gc')
    } catch {}
  }

  async #put(vertices: readonly Vertex[]): Promise<void> {
    for (const { cid, bytes } of vertices) {
      const options = cid.code === 0x55 ? {} : { cidCodec: 'dag-cbor' }
      await this.#lines('block/put', { body: upload({ data: bytes }), options })
    }
  }

  /** Lets one collection run while nobody does anything, and holds everything that is stored against what is pinned. */
  async #end(): Promise<void> {
    const { error } = await linesOf(this.#host.call('repo/gc'))
    if (error !== undefined) this.#violated(`the last collection fails: ${error}`)
    const live = new Set<string>()
    const roots: Root[] = [...this.#pinned.values(), { cid: parseCid(EMPTY_DIRECTORY), mode: 'recursive' }]
    for (const root of roots) for (const hash of await this.#check('at the end', root)) live.add(hash)
    for await (const multihash of this.#store.listMultihashes()) {
      if (!live.delete(hex(multihash))) this.#violated(`garbage is left: ${hex(multihash)}`)
    }
    const listed: string[] = []
    for (const type of ['recursive', 'direct']) {
      const { Keys = {} } = (await this.#call('pin/ls', [], { type })) as { Keys?: Record<string, { Type: string }> }
      for (const [cid, { Type }] of Object.entries(Keys)) listed.push(`${cid} ${Type}`)
    }
    const expected = roots.map(({ cid, mode }) => `${cid} ${mode}`).sort()
    if (listed.sort().join() !== expected.join()) this.#violated(`pinned are ${listed}, acknowledged were ${expected}`)
  }

  async #acknowledged(operation: string, root: Root): Promise<void> {
    this.#pinned.set(root.cid.toString(), root)
    this.#count(operation)
    await this.#check(`after ${operation}`, root)
  }

  /** Reads all that a root reaches. @returns its multihashes */
  async #check(when: string, { cid: root, mode }: Root): Promise<Set<string>> {
    const seen = new Set<string>()
    const left = [root]
    for (let cid = left.pop(); cid !== undefined; cid = left.pop()) {
      if (seen.has(hex(cid.multihash.bytes))) continue
      seen.add(hex(cid.multihash.bytes))
      const bytes = await this.#store.getBytes(cid.multihash.bytes)
      if (bytes === undefined) this.#violated(`${when}: ${cid}, which ${root} keeps, is not there`)
      else if (!Buffer.from(sha256(bytes)).equals(cid.multihash.digest)) this.#violated(`${when}: ${cid} has other bytes`)
      else if (mode === 'recursive') left.push(...linksOf(cid, bytes))
    }
    return seen
  }

  /** Nobody else changes pins of this CID meanwhile. */
  async #claiming(cid: CID, work: (cid: CID) => Promise<void>): Promise<void> {
    const name = cid.toString()
    if (this.#claimed.has(name)) return
    this.#claimed.add(name)
    try {
      await work(cid)
    } finally {
      this.#claimed.delete(name)
    }
  }

  async #claimingPinned(work: (root: Root) => Promise<void>): Promise<void> {
    const free = [...this.#pinned.values()].filter(({ cid }) => !this.#claimed.has(cid.toString()))
    if (free.length === 0) return
    const root = this.#random.pick(free)
    await this.#claiming(root.cid, () => work(root))
  }

  #call(path: string, args: readonly CID[], options: Record<string, unknown> = {}): Promise<unknown> {
    return this.#host.call(path, { args: args.map(String), options })
  }

  async #lines<T>(path: string, request: Parameters<NodeHost['call']>[1]): Promise<{ lines: T[] }> {
    const { lines, error } = await linesOf<T>(this.#host.call(path, request))
    if (error !== undefined) throw new Error(`${path}: ${error}`)
    return { lines }
  }

  #name(): string {
    return `own ${this.#unique++}`
  }

  #count(operation: string): void {
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1)
  }

  #violated(what: string): void {
    this.violations.push(what)
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
