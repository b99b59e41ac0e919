import type { CID } from 'multiformats/cid'
import { isUsual, readCid, USUAL } from '../cid/parse.ts'
import { dagErrors } from '../dag/errors.ts'
import { hasCode } from '../errors.ts'
import type { Block } from '../services/storage/blocks.ts'
import { carErrors } from './errors.ts'
import { type CarHeader, decodeHeader } from './header.ts'
import { type Allocate, Input } from './input.ts'

/** Limits of a CAR, whatever it declares. */
interface CarLimits {
  /** Most bytes of a header. Default 32 MiB (go-car/v2). */
  maxHeader?: number
  /** Most bytes of a section: a CID and its block. Default 8 MiB (go-car/v2). */
  maxSection?: number
  /** Most roots. Default 65,536. */
  maxRoots?: number
}

export interface Car {
  readonly version: 1 | 2
  readonly roots: readonly CID[]
  /**
   * The blocks in the order of the file, to be read once. They are not held against their CIDs. A block is a view of the chunk it came in;
   * one that came in several lies in memory of `allocate`, by default its own.
   */
  blocks(allocate?: Allocate): Sections
}

const MiB = 1024 * 1024
const V2_HEADER = 40

/**
 * Reads a CAR of version 1 or 2 (https://ipld.io/specs/transport/car) as its bytes come; the index of version 2 is not read. Takes the
 * memory of one header or section.
 *
 * @throws E_EOF for a source that is empty or ends behind the length of the header; E_UNEXPECTED_EOF, E_VARINT, E_CAR_…
 */
export async function readCar(
  source: AsyncIterable<Uint8Array>,
  { maxHeader = 32 * MiB, maxSection = 8 * MiB, maxRoots = 65_536 }: CarLimits = {}
): Promise<Car> {
  const input = new Input(source)
  const outer = await readHeader(input, maxHeader, maxRoots)
  if (outer.version === 1) return { version: 1, roots: outer.roots, blocks: allocate => new Sections(input, maxSection, allocate) }
  if (outer.version !== 2) throw carErrors.E_CAR_VERSION(outer.version)
  try {
    await findData(input, outer.size)
    const inner = await readHeader(input, maxHeader, maxRoots)
    if (inner.version !== 1) throw carErrors.E_CAR_INNER_VERSION(inner.version)
    return { version: 2, roots: inner.roots, blocks: allocate => new Sections(input, maxSection, allocate) }
  } catch (error) {
    throw hasCode(error, 'E_EOF') ? dagErrors.E_UNEXPECTED_EOF() : error
  }
}

async function readHeader(input: Input, maxHeader: number, maxRoots: number): Promise<CarHeader & { size: number }> {
  const size = await input.varint()
  if (size > maxHeader) throw carErrors.E_CAR_HEADER_TOO_LARGE()
  try {
    return { ...decodeHeader(await input.take(size), maxRoots), size: size + 1 }
  } catch (error) {
    throw hasCode(error, 'E_EOF') ? dagErrors.E_UNEXPECTED_EOF() : error
  }
}

/** Reads what stands before the data of version 2: characteristics of 16 bytes, then offset and size of the data, and the index's offset. */
async function findData(input: Input, pragma: number): Promise<void> {
  const fields = Buffer.from(await input.take(V2_HEADER))
  const offset = fields.readBigInt64LE(16)
  const size = fields.readBigInt64LE(24)
  const first = pragma + V2_HEADER
  if (offset < first) throw carErrors.E_CAR_DATA_OFFSET(BigInt.asUintN(64, offset))
  if (size <= 0) throw carErrors.E_CAR_DATA_SIZE(BigInt.asUintN(64, size))
  await input.skip(Number(offset) - first)
  input.limit(Number(size))
}

/** The blocks of a CAR. A file that ends behind the length of a section is whole as well, as the reference has it. */
export class Sections implements AsyncIterable<Block> {
  readonly #input: Input
  readonly #most: number
  readonly #allocate: Allocate | undefined

  constructor(input: Input, most: number, allocate?: Allocate) {
    this.#input = input
    this.#most = most
    this.#allocate = allocate
  }

  /**
   * The next block, without waiting where its bytes are at hand.
   *
   * @returns undefined at the end
   * @throws E_UNEXPECTED_EOF, E_VARINT, E_CAR_SECTION_TOO_LARGE, E_CID_INVALID
   */
  next(): Block | undefined | Promise<Block | undefined> {
    const size = this.#input.varint()
    const section = typeof size === 'number' ? this.#take(size) : size.then(all => this.#take(all))
    return section instanceof Promise ? section.then(blockOf, ended) : blockOf(section)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Block> {
    for (let block = await this.next(); block !== undefined; block = await this.next()) yield block
  }

  #take(size: number): Uint8Array | Promise<Uint8Array> {
    if (size > this.#most) throw carErrors.E_CAR_SECTION_TOO_LARGE()
    return this.#input.take(size, this.#allocate)
  }
}

function blockOf(section: Uint8Array): Block {
  const length = cidLength(section)
  // A CID may be kept longer than the memory of its section.
  const cid = Buffer.allocUnsafe(length)
  for (let i = 0; i < length; i++) cid[i] = section[i]!
  return { cid: readCid(cid), bytes: section.subarray(length) }
}

function ended(error: unknown): undefined {
  if (!hasCode(error, 'E_EOF')) throw error
}

/** @throws E_CID_INVALID */
function cidLength(section: Uint8Array): number {
  return isUsual(section) ? USUAL : readCid(section).bytes.length
}
