import type { CID } from 'multiformats/cid'
import { type TreeEntry, treeOf } from '../../body/tree.ts'
import type { Body, BodyPart } from '../../body.ts'
import { cidToString } from '../../cid/parse.ts'
import { collect } from '../../cid/stream.ts'
import { importErrors } from '../../errors/unixfs-import.ts'
import type { Hasher } from '../../services/dag.ts'
import { type Chunker, MAX_CHUNK, parseChunker } from '../chunker/index.ts'
import { type Built, NodeBuilder } from './builder.ts'
import { DIRECTORY_DATA } from './encode.ts'
import { importFile, importSymlink } from './file.ts'
import { Folder } from './folder.ts'
import { LeafPool } from './memory.ts'
import { BlockWriter, type ImportStore } from './writer.ts'

/** How often progress is told, in bytes (Kubo 0.28, core/coreunix). */
const PROGRESS = 262_144

/** How an upload becomes blocks. */
export interface TreeOptions {
  /** As {@link parseChunker} reads it. */
  readonly chunker: string
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  readonly cidVersion: 0 | 1
  /** Multihash code. */
  readonly hash: number
  readonly hasher?: Hasher | undefined
  /** Blocks up to this size, in bytes, become identity CIDs. undefined: none do. */
  readonly inlineUpTo?: number | undefined
  /** Put everything into one folder without a name. */
  readonly wrap: boolean
  /** Size of a directory, by names and CIDs, at which it is sharded, in bytes. */
  readonly shardingThreshold: number
  readonly signal?: AbortSignal | undefined
}

/** A node that was made. `name` is its path in the upload; a part without a name goes by its CID. */
export interface ImportedNode {
  readonly type: BodyPart['kind']
  readonly name: string
  readonly cid: CID
  /** Cumulative size of its blocks, in bytes. */
  readonly size: number
}

export type ImportEvent =
  /** So many bytes of a file were read. */
  | { readonly type: 'progress'; readonly name: string; readonly bytes: number }
  | ImportedNode
  /** An entry at the top is finished: its blocks, and all below it, are stored. Comes after the event of its own node. */
  | { readonly type: 'root'; readonly name: string; readonly cid: CID }

/**
 * Makes files, directories and symlinks out of an upload. Files and symlinks are told as they are done, the directories of an entry at
 * the top when it ends, each after those in it.
 *
 * @param store - undefined: nothing is kept, the blocks are only named
 * @throws E_UPLOAD_EMPTY, E_CHUNKER_… and its kin once there is a file, E_ENTRY_EXISTS, and what makes a CID impossible
 */
export function importTree(body: Body, store: ImportStore | undefined, options: TreeOptions): AsyncGenerator<ImportEvent> {
  return new TreeImport(store, options).run(body)
}

class TreeImport {
  readonly #options: TreeOptions
  readonly #stored: boolean
  readonly #writer: BlockWriter
  readonly #nodes: NodeBuilder
  readonly #memory = new LeafPool()
  #chunker: Chunker | undefined
  #emptyFolder: Promise<Built> | undefined

  constructor(store: ImportStore | undefined, options: TreeOptions) {
    this.#options = options
    this.#stored = store !== undefined
    this.#writer = new BlockWriter(store, options.signal)
    this.#nodes = new NodeBuilder(options, this.#writer)
  }

  async *run(body: Body): AsyncGenerator<ImportEvent> {
    const { wrap } = this.#options
    // From the entry at the top to the folder of the present entry, by depth; the wrapper has depth 0.
    const folders: Folder[] = wrap ? [this.#folder('')] : []
    let top = folders[0]
    let empty = !wrap
    for await (const entry of treeOf(body)) {
      empty = false
      folders.length = Math.min(folders.length, entry.depth)
      const parent = folders[entry.depth - 1]
      const inside = entry.kind === 'directory' ? await this.#enter(entry, parent) : undefined
      if (parent === undefined && top !== undefined) yield* this.#finish(top)
      if (parent === undefined) top = inside
      if (inside !== undefined) folders[entry.depth] = inside
      else if (parent === undefined) yield* this.#lone(entry)
      else yield* this.#within(entry, parent)
    }
    if (top !== undefined) yield* this.#finish(top)
    if (empty) throw importErrors.E_UPLOAD_EMPTY()
  }

  #folder(name: string): Folder {
    return new Folder(name, this.#options.shardingThreshold)
  }

  async #enter({ path, name }: TreeEntry, parent: Folder | undefined): Promise<Folder> {
    if (parent === undefined) return this.#folder(path.slice(1))
    // The reference makes every folder empty first, and stores it.
    if (this.#stored) {
      this.#emptyFolder ??= this.#nodes.node([], DIRECTORY_DATA)
      await this.#emptyFolder
    }
    return parent.folder(name, () => this.#folder(path.slice(1)))
  }

  /** A file or symlink at the top. */
  async *#lone(entry: TreeEntry): AsyncGenerator<ImportEvent> {
    const built = yield* this.#build(entry)
    const folder = this.#folder('')
    folder.add(cidToString(built.cid), built)
    // The reference leaves a folder around it in the store.
    if (this.#stored) await folder.build(this.#nodes)
    await this.#writer.settled()
    const name = entry.path.slice(1)
    yield nodeEvent(entry, name === '' ? cidToString(built.cid) : name, built)
    yield { type: 'root', name, cid: built.cid }
  }

  async *#within(entry: TreeEntry, parent: Folder): AsyncGenerator<ImportEvent> {
    const built = yield* this.#build(entry)
    const { name } = entry
    parent.add(name === '' ? cidToString(built.cid) : name, built)
    yield nodeEvent(entry, name === '' ? cidToString(built.cid) : entry.path.slice(1), built)
  }

  async *#build({ part, kind, path }: TreeEntry): AsyncGenerator<ImportEvent, Built> {
    if (kind === 'symlink') return importSymlink(await collect(part!.bytes(), MAX_CHUNK, importErrors.E_LEAF_TOO_LARGE), this.#nodes)
    this.#chunker ??= parseChunker(this.#options.chunker)
    const file = importFile(part!.bytes(), { ...this.#options, chunker: this.#chunker }, this.#nodes, this.#memory)
    return yield* progressOf(path.slice(1), file)
  }

  /** Makes the directories of an entry at the top, the deepest first, and tells of them in the order in which they are listed. */
  async *#finish(top: Folder): AsyncGenerator<ImportEvent> {
    const all = [top]
    for (const folder of all) all.push(...folder.folders())
    for (const folder of all.reverse()) await folder.build(this.#nodes)
    await this.#writer.settled()
    for (const { name, built } of top.postOrder()) yield { type: 'directory', name, ...built }
    yield { type: 'root', name: top.name, cid: top.built.cid }
  }
}

function nodeEvent({ kind }: TreeEntry, name: string, { cid, size }: Built): ImportedNode {
  return { type: kind, name, cid, size }
}

/** Tells of every 256 KiB, and of each time that the end is met. */
async function* progressOf(name: string, file: AsyncGenerator<number, Built>): AsyncGenerator<ImportEvent, Built> {
  let bytes = 0
  let told = 0
  try {
    for (;;) {
      const { done, value } = await file.next()
      if (done) return value
      bytes += value
      if (value === 0) yield { type: 'progress', name, bytes }
      for (; value > 0 && bytes - told >= PROGRESS; ) {
        told += PROGRESS
        yield { type: 'progress', name, bytes: told }
      }
    }
  } finally {
    await file.return(undefined as never)
  }
}
