import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../cid/codes.ts'
import type { Size } from '../dag/node-links.ts'
import type { Branch } from '../dag/walk/branch.ts'
import type { SeenCids } from '../dag/walk/seen-cids.ts'
import { decodeUnixFs } from '../unixfs/export/data.ts'
import { loadShard } from '../unixfs/export/directory.ts'
import { unixfsErrors } from '../unixfs/export/errors.ts'
import { isShardLink, type Shard } from '../unixfs/export/hamt.ts'
import { type Codecs, type LoadedBlock, LoadedBranch } from '../unixfs/export/node.ts'

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
  /** The shard itself is a part of the block. */
  readonly #padding: Pick<Shard, 'padding'>
  readonly #codecs: Codecs

  constructor(loaded: LoadedBlock, codecs: Codecs, { padding }: Shard) {
    super(loaded, codecs)
    this.#padding = { padding }
    this.#codecs = codecs
  }

  load(index: number): CID | undefined {
    return isShardLink(this.#padding, this.node.name(index)) ? this.node.cid(index) : undefined
  }

  isDone(_: number, _cid: CID, isNew: boolean): boolean {
    return !isNew
  }

  below(_: number, child: LoadedBlock): Selecting {
    return new Shards(child, this.#codecs, loadShard(child))
  }
}

/** The part of a file that is wanted. */
interface Wanted {
  readonly span: Span
  /** The inner nodes of which all was wanted so far; undefined where they are to be handed out each time. */
  readonly whole: SeenCids | undefined
}

/** The children of an inner node of a file that have bytes of a span in them. */
export class Parts extends LoadedBranch implements Selecting {
  readonly #codecs: Codecs
  readonly #start: Size
  readonly #wanted: Wanted
  /** Where each child begins in the file, and behind the last where that ends. */
  #starts: readonly Size[] = []

  /** @throws E_UNIXFS_SEEK when it does not say how large its children are */
  constructor(loaded: LoadedBlock, codecs: Codecs, start: Size, wanted: Wanted) {
    super(loaded, codecs, 8 * loaded.node.length)
    this.#codecs = codecs
    this.#start = start
    this.#wanted = wanted
    this.#measure()
  }

  load(index: number): CID | undefined {
    const { span } = this.#wanted
    const [from, end] = [this.#starts[index]!, this.#starts[index + 1]!]
    return end > from && from < span.end && end > span.from ? this.node.cid(index) : undefined
  }

  /** A node of which another part was wanted may lack this one. */
  isDone(index: number, cid: CID): boolean {
    const { span, whole } = this.#wanted
    if (whole === undefined || cid.code !== DAG_PB) return false
    return this.#starts[index]! >= span.from && this.#starts[index + 1]! <= span.end && !whole.add(cid)
  }

  below(index: number, child: LoadedBlock): Selecting | undefined {
    return child.kind === 'dag-pb' && child.node.length > 0 ? new Parts(child, this.#codecs, this.#starts[index]!, this.#wanted) : undefined
  }

  override close(): void {
    super.close()
    this.#starts = []
  }

  override reopen(bytes: Uint8Array): void {
    super.reopen(bytes)
    this.#measure()
  }

  #measure(): void {
    const { node, length } = this
    const sizes = length === 0 ? [] : decodeUnixFs(node.data).exactBlockSizes()
    if (sizes.length !== length) throw unixfsErrors.E_UNIXFS_SEEK()
    const starts: Size[] = [this.#start]
    for (const size of sizes) starts.push(sumOf(starts.at(-1)!, size))
    this.#starts = starts
  }
}

/** A bigint where a number is not exact. */
function sumOf(one: Size, other: Size): Size {
  const sum = Number(one) + Number(other)
  return sum <= Number.MAX_SAFE_INTEGER ? sum : BigInt(one) + BigInt(other)
}
