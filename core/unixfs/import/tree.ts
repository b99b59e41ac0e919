import { type TreeEntry, treeOf } from '../../body/tree.ts'
import { cidToString } from '../../cid/parse.ts'
import { collect } from '../../cid/stream.ts'
import type { Body, BodyPart } from '../../contract/body.ts'
import type { Hasher } from '../../services/content/dag.ts'
import type { ImportEvent, ImportedNode, ImportOptions, Told } from '../../services/content/unixfs.ts'
import { MAX_CHUNK, parseChunker } from '../chunker/index.ts'
import type { Metadata } from '../metadata.ts'
import type { Sharding } from '../sharding.ts'
import { type Built, NodeBuilder } from './builder.ts'
import { DIRECTORY_DATA } from './encode.ts'
import { importErrors } from './errors.ts'
import { type FileOptions, importFile } from './file.ts'
import { Folder, type FolderOptions } from './folder.ts'
import { LeafPool } from './memory.ts'
import { BlockWriter, type ImportStore } from './writer.ts'

/** How often progress is told, in bytes (Kubo 0.28, core/coreunix). */
const PROGRESS = 262_144

/** The services that an import needs beside its options. */
interface ImportTarget {
  readonly store: ImportStore
  readonly hasher?: Hasher | undefined
  /** When a directory is sharded for its size. */
  readonly sharding: Sharding
  /** Most folders of an upload in the one at its top, which are all kept in mind until it ends. Default without limit. */
  readonly maxFolders?: number | undefined
}

/** See {@link UnixFs.import}. */
export function importTree(body: Body, target: ImportTarget, options: ImportOptions): AsyncGenerator<ImportEvent> {
  return new TreeImport(target, options).events(body)
}

class TreeImport {
  readonly #options: ImportOptions
  readonly #directories: FolderOptions
  readonly #maxFolders: number
  readonly #writer: BlockWriter
  readonly #nodes: NodeBuilder
  readonly #memory = new LeafPool()
  #folders = 0
  /** Metadata that the part of the present entry at the top tells. */
  #told: Told | undefined
  /** How files are laid out, where nothing is said of one alone; made for the first. */
  #layout: FileOptions | undefined
  #emptyFolder: Promise<Built> | undefined

  constructor({ store, hasher, sharding, maxFolders = Number.POSITIVE_INFINITY }: ImportTarget, options: ImportOptions) {
    this.#options = options
    this.#directories = {
      ...sharding,
      maxLinks: options.maxDirectoryLinks,
      fanout: options.fanout,
      empty: options.emptyDirectories
    }
    this.#maxFolders = maxFolders
    this.#writer = new BlockWriter(options.onlyHash ? undefined : store, options.signal)
    this.#nodes = new NodeBuilder({ ...options, hasher }, this.#writer)
  }

  async *events(body: Body): AsyncGenerator<ImportEvent> {
    const { wrap } = this.#options
    // From the entry at the top to the folder of the present entry, by depth; the wrapper has depth 0.
    const folders: Folder[] = wrap ? [this.#folder('', this.#metadataOf())] : []
    let top = folders[0]
    let empty = !wrap
    for await (const entry of treeOf(body)) {
      empty = false
      folders.length = Math.min(folders.length, entry.depth)
      const parent = folders[entry.depth - 1]
      const inside = entry.kind === 'directory' ? await this.#enter(entry, parent) : undefined
      if (parent === undefined && top !== undefined) yield* this.#finish(top)
      if (parent === undefined) {
        top = inside
        this.#told = wrap ? undefined : toldOf(entry)
      }
      if (inside !== undefined) {
        folders[entry.depth] = inside
        continue
      }
      const built = entry.kind === 'symlink' ? await this.#symlink(entry) : yield* this.#file(entry)
      yield this.#telling(parent === undefined ? await this.#lone(entry, built) : within(entry, built, parent))
    }
    if (top !== undefined) yield* this.#finish(top)
    if (empty) throw importErrors.E_UPLOAD_EMPTY()
  }

  #folder(name: string, metadata?: Metadata): Folder {
    if (++this.#folders > this.#maxFolders) throw importErrors.E_UPLOAD_FOLDERS(this.#maxFolders)
    return new Folder(name, this.#directories, metadata)
  }

  async #enter({ path, name, part }: TreeEntry, parent: Folder | undefined): Promise<Folder> {
    const metadata = this.#metadataOf(part)
    if (parent === undefined) return this.#folder(path.slice(1), metadata)
    // The reference makes every folder empty first, and stores it.
    if (!this.#options.onlyHash) {
      this.#emptyFolder ??= this.#nodes.node([], DIRECTORY_DATA)
      await this.#emptyFolder
    }
    return parent.folder(name, () => this.#folder(path.slice(1), metadata))
  }

  /** A file or symlink at the top. */
  async #lone(entry: TreeEntry, built: Built): Promise<ImportEvent> {
    const folder = this.#folder('')
    folder.add(cidToString(built.cid), built)
    // The reference leaves a folder around it in the store.
    if (!this.#options.onlyHash) await folder.build(this.#nodes)
    await this.#writer.settled()
    const name = entry.path.slice(1)
    return { ...told(entry, name, built), top: name }
  }

  async #symlink({ part }: TreeEntry): Promise<Built> {
    const metadata = this.#metadataOf(part)
    const target = await collect(part!.bytes(), MAX_CHUNK, importErrors.E_LEAF_TOO_LARGE)
    return this.#nodes.symlink(target, metadata && { mtime: metadata.mtime })
  }

  /** Tells of every 256 KiB, and of each time that the end is met. */
  async *#file({ part, path }: TreeEntry): AsyncGenerator<ImportEvent, Built> {
    const { nocopy } = this.#options
    const metadata = this.#metadataOf(part)
    this.#layout ??= layoutOf(this.#options)
    const how = nocopy || metadata !== undefined ? { ...this.#layout, liesAt: nocopy ? placeOf(part!) : undefined, metadata } : this.#layout
    const file = importFile(part!.bytes({ lent: true }), how, this.#nodes, this.#memory)
    const name = path.slice(1)
    let bytes = 0
    let toldBytes = 0
    try {
      for (;;) {
        const { done, value } = await file.next()
        if (done) return value
        bytes += value
        if (value === 0) yield this.#telling({ type: 'progress', name, bytes })
        for (; value > 0 && bytes - toldBytes >= PROGRESS; ) {
          toldBytes += PROGRESS
          yield this.#telling({ type: 'progress', name, bytes: toldBytes })
        }
      }
    } finally {
      await file.return(undefined as never)
    }
  }

  #telling(event: ImportEvent): ImportEvent {
    return this.#told === undefined ? event : { ...event, told: this.#told }
  }

  /** Metadata of an entry's node: those given for all of them, else those that its part tells. @param part - undefined: none stands for it */
  #metadataOf(part?: BodyPart): Metadata | undefined {
    const { metadata = {}, preserve = {} } = this.#options
    const mode = metadata.mode ?? (preserve.mode ? part?.metadata?.mode : undefined)
    const mtime = metadata.mtime ?? (preserve.mtime ? part?.metadata?.mtime : undefined)
    return mode === undefined && mtime === undefined ? undefined : { mode, mtime }
  }

  /** Makes the directories of an entry at the top, the deepest first, and tells of them in the order in which they are listed. */
  async *#finish(top: Folder): AsyncGenerator<ImportEvent> {
    this.#folders = 0
    const all = [top]
    for (const folder of all) for (const inner of folder.folders()) all.push(inner)
    for (const folder of all.reverse()) await folder.build(this.#nodes)
    await this.#writer.settled()
    for (const folder of top.postOrder()) {
      const { name, built } = folder
      yield this.#telling({ type: 'directory', name, ...built, ...(folder === top && { top: name }) })
    }
  }
}

/** @throws E_CHUNKER_… and its kin */
function layoutOf({ chunker, maxChunk, layout, rawLeaves, maxFileLinks: maxLinks, progress = true }: ImportOptions): FileOptions {
  return { chunker: parseChunker(chunker, maxChunk), maxChunk, layout, rawLeaves, maxLinks, progress }
}

function toldOf({ kind, part }: TreeEntry): Told | undefined {
  return part?.metadata === undefined && kind !== 'symlink' ? undefined : { ...part?.metadata, kind }
}

/** @throws E_NOCOPY_PATH */
function placeOf({ absPath }: BodyPart): string {
  if (absPath === undefined || absPath === '') throw importErrors.E_NOCOPY_PATH()
  return absPath
}

/** The event of an entry of a folder, which has it from then on. */
function within(entry: TreeEntry, built: Built, folder: Folder): ImportEvent {
  folder.add(entry.name === '' ? cidToString(built.cid) : entry.name, built)
  return told(entry, entry.path.slice(1), built)
}

function told({ kind }: TreeEntry, name: string, { cid, size }: Built): ImportedNode {
  return { type: kind, name: name === '' ? cidToString(cid) : name, cid, size }
}
