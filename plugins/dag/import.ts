import type { CID } from 'multiformats/cid'
import { BatchWriter } from '../../core/blocks/batch-writer.ts'
import { blockErrors } from '../../core/blocks/errors.ts'
import { carErrors } from '../../core/car/errors.ts'
import { type Car, readCar } from '../../core/car/reader.ts'
import { verifyBlock } from '../../core/car/verify.ts'
import { RAW } from '../../core/cid/codes.ts'
import { cidToString } from '../../core/cid/parse.ts'
import { checkBlockSize } from '../../core/dag/size.ts'
import { Closure } from '../../core/dag/walk/closure.ts'
import { cidKey } from '../../core/dag/walk/seen-cids.ts'
import {
  type Block,
  type BlockOptions,
  type Blocks,
  type Body,
  type BodyPart,
  type Dag,
  hasCode,
  messageOf,
  type Pins,
  prefixed
} from '../../core/index.ts'
import { dagCommandErrors } from './errors.ts'
import type { DagSettings } from './settings.ts'

type Services = { readonly blocks: Pick<Blocks, 'putAll'>; readonly dag: Pick<Dag, 'links' | 'hasher'> }
type Options = BlockOptions & Pick<DagSettings, 'maxCarHeader' | 'maxCarSection' | 'maxCarRoots'> & { allowBigBlock: boolean }

/** The blocks of the CARs of one call on their way into the store. */
export class CarImport {
  readonly #dag: Services['dag']
  readonly #options: Options
  readonly #writer: BatchWriter
  readonly #closure = new Closure()
  readonly #roots = new Map<string, CID>()
  #rootBytes = 0
  /** Blocks read so far, and bytes in them; one that comes twice counts twice. */
  blocks = 0
  bytes = 0

  constructor({ blocks, dag }: Services, options: Options) {
    this.#dag = dag
    this.#options = options
    this.#writer = new BatchWriter(blocks, { signal: options.signal, cold: true })
  }

  /** The roots that the headers name, each once. */
  get roots(): Iterable<CID> {
    return this.#roots.values()
  }

  /**
   * Reads all parts, and resolves when their blocks are stored. After an error those before it may be stored.
   *
   * @throws E_CAR_EMPTY for a part without a byte: the reference ends there with success, and leaves out what follows
   */
  async readAll(body: Body): Promise<void> {
    try {
      for await (const part of body) {
        if (part.kind === 'directory') throw dagCommandErrors.E_CAR_EXPECTED()
        await this.#read(await this.#open(part))
      }
      await this.#writer.settled()
    } finally {
      await this.#writer.abandon()
    }
  }

  async #open(part: BodyPart): Promise<Car> {
    const { maxCarHeader, maxCarSection, maxCarRoots } = this.#options
    try {
      return await readCar(part.bytes(), { maxHeader: maxCarHeader, maxSection: maxCarSection, maxRoots: maxCarRoots })
    } catch (error) {
      if (hasCode(error, 'E_EOF')) throw dagCommandErrors.E_CAR_EMPTY(part.path)
      throw error
    }
  }

  async #read(car: Car): Promise<void> {
    for (const root of car.roots) {
      const key = cidKey(root)
      if (!this.#roots.has(key)) this.#rootBytes += root.bytes.length
      this.#roots.set(key, root)
    }
    if (this.#rootBytes > this.#options.maxCarHeader) throw carErrors.E_CAR_HEADER_TOO_LARGE()
    if (this.#roots.size > this.#options.maxCarRoots) throw carErrors.E_CAR_ROOTS(this.#options.maxCarRoots)
    let previous: CID | undefined
    /** Whether an error is one of reading. */
    let isReading = true
    try {
      const blocks = car.blocks(size => this.#writer.room(size))
      for (;;) {
        const next = blocks.next()
        const block = next instanceof Promise ? await next : next
        if (block === undefined) return
        verifyBlock(block, this.#dag.hasher(block.cid.multihash.code))
        isReading = false
        this.#check(block)
        const full = this.#writer.put(block)
        if (full !== undefined) await full
        this.blocks++
        this.bytes += block.bytes.length
        previous = block.cid
        isReading = true
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      if (!isReading) throw error
      throw prefixed(previous === undefined ? 'import failed: ' : `import failed after block "${cidToString(previous)}": `, error)
    }
  }

  #check({ cid, bytes }: Block): void {
    try {
      checkBlockSize(bytes.length, this.#options.allowBigBlock)
      this.#closure.add(cid, cid.code === RAW ? [] : this.#dag.links(cid, bytes))
    } catch (error) {
      throw prefixed(`import failed at block "${cidToString(cid)}": `, error)
    }
  }

  /** Pins a root with all it links to, under the name it may have already. @returns why it could not be, or `''` */
  async pin(root: CID, { blocks, pins }: { blocks: Pick<Blocks, 'has'>; pins: Pins }, how: BlockOptions): Promise<string> {
    try {
      const name = (await pins.get(root))?.name
      if (this.#closure.holds(root)) await pins.addWritten(root, { ...how, name })
      else if (await blocks.has(root, how)) await pins.add(root, { ...how, name })
      else throw blockErrors.E_BLOCK_MISSING(cidToString(root))
      return ''
    } catch (error) {
      how.signal?.throwIfAborted()
      return messageOf(error)
    }
  }
}
