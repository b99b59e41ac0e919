import type { CID } from 'multiformats/cid'
import { fastBlocks } from '../../core/blocks/fast.ts'
import { parseCid } from '../../core/cid/parse.ts'
import { type AnyProvision, Blockstore, type FastBlocks } from '../../core/index.ts'
import { type NodeHost } from '../../host/host.ts'
import { itemsUntilError } from '../helpers/streams.ts'
import { upload } from '../plugins/blocks/host.ts'
import { Acknowledgements, hex, type Root } from './acknowledgements.ts'
import type { Random } from './random.ts'
import { car, leaf, node, universe, type Vertex } from './universe.ts'

/** What every node keeps from its first start. */
const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

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
  readonly #host: NodeHost
  readonly #random: Random
  readonly #options: HistoryOptions
  readonly #store: FastBlocks
  readonly #vertices: Vertex[]
  readonly #acknowledgements: Acknowledgements
  readonly #imports: boolean
  #unique = 0

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#host = options.host
    this.#random = options.random
    this.#store = fastBlocks(options.host.service(Blockstore)!)
    this.#acknowledgements = new Acknowledgements(this.#store, options.random)
    this.#vertices = universe(options.random)
    this.#imports = options.host.commands().some(({ path }) => path === 'dag/import')
  }

  /** What was found wrong. */
  get violations(): readonly string[] {
    return this.#acknowledgements.violations
  }

  /** How often each operation was acknowledged. */
  get counts(): ReadonlyMap<string, number> {
    return this.#acknowledgements.counts
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
    try {
      await Promise.all(Array.from({ length: workers }, work))
    } finally {
      working = false
      await collecting
    }
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
    await this.#acknowledgements.claiming(this.#random.pick(this.#vertices).cid, async cid => {
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      if (this.#random.chance(0.8)) await this.#put(vertex.graph)
      const before = this.#acknowledgements.pinned.get(cid.toString())
      try {
        await this.#call('pin/add', [cid])
      } catch (error) {
        if (before?.mode === 'recursive')
          this.#acknowledgements.violated(`${cid} was pinned, but to pin it again fails: ${(error as Error).message}`)
        return
      }
      await this.#acknowledgements.acknowledged('pin/add', { cid, mode: 'recursive' })
    })
  }

  async #pinDirect(): Promise<void> {
    await this.#acknowledgements.claiming(this.#random.pick(this.#vertices).cid, async cid => {
      if (this.#acknowledgements.pinned.has(cid.toString())) return
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      if (this.#random.chance(0.8)) await this.#put([vertex])
      try {
        await this.#call('pin/add', [cid], { recursive: false })
      } catch {
        return
      }
      await this.#acknowledgements.acknowledged('pin/add, direct', { cid, mode: 'direct' })
    })
  }

  async #unpin(): Promise<void> {
    await this.#acknowledgements.claimingPinned(async ({ cid }) => this.#remove(cid))
  }

  async #remove(cid: CID): Promise<void> {
    this.#acknowledgements.pinned.delete(cid.toString())
    try {
      await this.#call('pin/rm', [cid])
    } catch (error) {
      this.#acknowledgements.violated(`${cid} was pinned, but to unpin it fails: ${(error as Error).message}`)
      return
    }
    this.#acknowledgements.count('pin/rm')
  }

  async #update(): Promise<void> {
    await this.#acknowledgements.claimingPinned(async from => {
      if (from.mode === 'direct') return
      await this.#acknowledgements.claiming(this.#random.pick(this.#vertices).cid, async cid => {
        if (this.#acknowledgements.pinned.has(cid.toString())) return
        const vertex = this.#vertices.find(one => one.cid.equals(cid))!
        if (this.#random.chance(0.8)) await this.#put(vertex.graph)
        try {
          await this.#call('pin/update', [from.cid, cid])
        } catch {
          return
        }
        this.#acknowledgements.pinned.delete(from.cid.toString())
        await this.#acknowledgements.acknowledged('pin/update', { cid, mode: 'recursive' })
      })
    })
  }

  /** A file of chunks that other files have as well, and one of its own. */
  async #add(): Promise<void> {
    const chunks = [this.#name(), ...Array.from({ length: this.#random.below(8) }, () => `chunk ${this.#random.below(10)}`)]
    const data = chunks.map(chunk => chunk.padEnd(16)).join('')
    const options = { chunker: 'size-16', cidVersion: 1, rawLeaves: this.#random.chance(0.7) }
    const { lines } = await this.#lines<{ Hash: string }>('add', { body: upload({ data }), options })
    await this.#acknowledgements.acknowledged('add', { cid: parseCid(lines.at(-1)!.Hash), mode: 'recursive' })
  }

  /** Pins a new node above a graph that is kept, and often ends what kept it before. */
  async #extend(): Promise<void> {
    await this.#acknowledgements.claimingPinned(async before => {
      if (before.mode === 'direct') return
      const above = node(this.#name(), [{ cid: before.cid, bytes: new Uint8Array(), graph: [] }])
      const command = this.#random.pick([
        { path: 'block/put', options: { cidCodec: 'dag-cbor', pin: true } },
        { path: 'dag/put', options: { inputCodec: 'dag-cbor', pin: true } }
      ])
      await this.#lines(command.path, { body: upload({ data: above.bytes }), options: command.options })
      await this.#acknowledgements.acknowledged(`${command.path}, pinned`, { cid: above.cid, mode: 'recursive' })
      if (this.#random.chance(0.6)) await this.#remove(before.cid)
    })
  }

  async #import(): Promise<void> {
    await this.#acknowledgements.claiming(this.#random.pick(this.#vertices).cid, async cid => {
      const vertex = this.#vertices.find(one => one.cid.equals(cid))!
      const { lines } = await this.#lines<{ Root?: { PinErrorMsg: string } }>('dag/import', { body: upload({ data: car(vertex) }) })
      if (lines.some(({ Root }) => Root?.PinErrorMsg === ''))
        await this.#acknowledgements.acknowledged('dag/import', { cid, mode: 'recursive' })
      else this.#acknowledgements.violated(`dag/import of ${cid} answered ${JSON.stringify(lines)}`)
    })
  }

  async #removeBlock(): Promise<void> {
    const cids = Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(this.#vertices).cid)
    for await (const _ of (await this.#call('block/rm', cids, { force: true })) as AsyncIterable<unknown>);
    this.#acknowledgements.count('block/rm')
  }

  async #putLoose(): Promise<void> {
    await this.#put([this.#random.pick(this.#vertices), leaf(this.#name())])
    this.#acknowledgements.count('block/put')
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
      this.#acknowledgements.count('repo/gc')
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
    const { error } = await itemsUntilError(this.#host.call('repo/gc'))
    if (error !== undefined) this.#acknowledgements.violated(`the last collection fails: ${error}`)
    const live = new Set<string>()
    const roots: Root[] = [...this.#acknowledgements.pinned.values(), { cid: parseCid(EMPTY_DIRECTORY), mode: 'recursive' }]
    for (const root of roots) for (const hash of await this.#acknowledgements.check('at the end', root)) live.add(hash)
    for await (const multihash of this.#store.listMultihashes()) {
      if (!live.delete(hex(multihash))) this.#acknowledgements.violated(`garbage is left: ${hex(multihash)}`)
    }
    const listed: string[] = []
    for (const type of ['recursive', 'direct']) {
      const { Keys = {} } = (await this.#call('pin/ls', [], { type })) as { Keys?: Record<string, { Type: string }> }
      for (const [cid, { Type }] of Object.entries(Keys)) listed.push(`${cid} ${Type}`)
    }
    const expected = roots.map(({ cid, mode }) => `${cid} ${mode}`).sort()
    if (listed.sort().join() !== expected.join()) this.#acknowledgements.violated(`pinned are ${listed}, acknowledged were ${expected}`)
  }

  #call(path: string, args: readonly CID[], options: Record<string, unknown> = {}): Promise<unknown> {
    return this.#host.call(path, { args: args.map(String), options })
  }

  async #lines<T>(path: string, request: Parameters<NodeHost['call']>[1]): Promise<{ lines: T[] }> {
    const { items: lines, error } = await itemsUntilError<T>(this.#host.call(path, request))
    if (error !== undefined) throw new Error(`${path}: ${error}`)
    return { lines }
  }

  #name(): string {
    return `own ${this.#unique++}`
  }
}
