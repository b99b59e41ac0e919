import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../cid/codes.ts'
import type { Size } from '../dag/node-links.ts'
import type { Branch } from '../dag/walk/branch.ts'
import type { SeenCids } from '../dag/walk/seen-cids.ts'
import { type Codecs, type FileParts, type LoadedBlock, LoadedBranch, partsOfFile } from '../unixfs/export/node.ts'
import { PlacedShard } from '../unixfs/export/trie.ts'

/** Bytes of a file. */
export interface Span {
  readonly from: bigint
  /** The first byte that is not wanted. */
  readonly end: bigint
}

/** A branch whose blocks are handed out as they are reached. */
export interface Selecting extends Branch {
  /** Whether all that is wanted below a child was handed out before. */
  isDone(index: number, cid: CID, isNew: boolean): boolean
  /** The branch below a child; undefined where nothing below is wanted. */
  below(index: number, child: LoadedBlock): Selecting | undefined
}

/** The shards of a directory, without its entries. */
export class Shards extends LoadedBranch implements Selecting {
  readonly #shard: PlacedShard
  readonly #codecs: Codecs

  constructor(loaded: LoadedBlock, codecs: Codecs, shard: PlacedShard) {
    super(loaded, codecs, shard.held)
    this.#shard = shard
    this.#codecs = codecs
  }

  /** Its entries are looked at as well: a folder that cannot be listed is not handed out as one. */
  load(index: number): CID | undefined {
    const link = this.node.name(index)
    if (this.#shard.leadsDeeper(index, link)) return this.node.cid(index)
    this.#shard.entry(index, link)
    return undefined
  }

  isDone(_: number, _cid: CID, isNew: boolean): boolean {
    return !isNew
  }

  below(index: number, child: LoadedBlock): Selecting {
    return new Shards(child, this.#codecs, this.#shard.below(index, child))
  }
}

/** The part of a file that is wanted. */
interface Wanted {
  readonly span: Span
  /** The inner nodes of which all was wanted so far; undefined where they are to be handed out each time. */
  readonly whole: SeenCids | undefined
}

/** The children of an inner node of a file that have bytes of a span in them, and those without bytes within it: who reads the span meets them as well. */
export class Parts extends LoadedBranch implements Selecting {
  readonly #codecs: Codecs
  readonly #start: Size
  readonly #wanted: Wanted
  #sizes: readonly Size[] = []
  /** Where each child begins in the file, and behind the last where that ends. */
  #starts: readonly Size[] = []

  /** @param expected - bytes that the node above says that it has @throws what {@link partsOfFile} does */
  constructor(loaded: LoadedBlock, codecs: Codecs, start: Size, wanted: Wanted, expected?: Size) {
    super(loaded, codecs, 16 * loaded.node.length)
    this.#codecs = codecs
    this.#start = start
    this.#wanted = wanted
    this.#measure(partsOfFile(loaded, { expected }))
  }

  load(index: number): CID | undefined {
    const { span } = this.#wanted
    const [from, end] = [this.#starts[index]!, this.#starts[index + 1]!]
    const isWithin = from === end ? from >= span.from && from <= span.end : from < span.end && end > span.from
    return isWithin ? this.node.cid(index) : undefined
  }

  /** A node of which another part was wanted may lack this one. */
  isDone(index: number, cid: CID): boolean {
    const { span, whole } = this.#wanted
    if (whole === undefined || cid.code !== DAG_PB) return false
    return this.#starts[index]! >= span.from && this.#starts[index + 1]! <= span.end && !whole.add(cid)
  }

  below(index: number, child: LoadedBlock): Selecting | undefined {
    const parts = new Parts(child, this.#codecs, this.#starts[index]!, this.#wanted, this.#sizes[index]!)
    return parts.length > 0 ? parts : undefined
  }

  override close(): void {
    super.close()
    this.#sizes = []
    this.#starts = []
  }

  override reopen(bytes: Uint8Array): void {
    super.reopen(bytes)
    this.#measure(partsOfFile({ cid: this.block, bytes, kind: 'dag-pb', node: this.node }))
  }

  #measure({ own, sizes }: Pick<FileParts, 'own' | 'sizes'>): void {
    const starts: Size[] = [sumOf(this.#start, own.length)]
    for (const size of sizes) starts.push(sumOf(starts.at(-1)!, size))
    this.#sizes = sizes
    this.#starts = starts
  }
}

/** A bigint where a number is not exact. */
function sumOf(one: Size, other: Size): Size {
  const sum = Number(one) + Number(other)
  return sum <= Number.MAX_SAFE_INTEGER ? sum : BigInt(one) + BigInt(other)
}
