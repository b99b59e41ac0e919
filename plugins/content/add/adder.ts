import type { Uploaded, UploadedFile, UploadedFolder } from '../../../core/body/tree.ts'
import type { CidEncoder } from '../../../core/cid/encoder.ts'
import { collect } from '../../../core/cid/stream.ts'
import { importErrors } from '../../../core/errors/unixfs-import.ts'
import { parseChunker } from '../../../core/unixfs/chunker/index.ts'
import { type Built, NodeBuilder } from '../../../core/unixfs/import/builder.ts'
import { DirectoryBuilder } from '../../../core/unixfs/import/directory.ts'
import { importFile, importSymlink } from '../../../core/unixfs/import/file.ts'
import { LeafPool } from '../../../core/unixfs/import/memory.ts'
import type { BlockWriter } from '../../../core/unixfs/import/writer.ts'
import { contentErrors } from '../errors.ts'
import type { Naming } from './options.ts'
import { Progress } from './progress.ts'

export interface AddEvent {
  Name: string
  Hash?: string
  Bytes?: number
  Size?: string
}

export interface AdderOptions {
  readonly naming: Naming
  readonly inlineUpTo: number | undefined
  readonly chunker: string
  readonly trickle: boolean
  readonly progress: boolean
  /** Says nothing of files and links; folders are still told. */
  readonly silent: boolean
  /** Bytes of names and CIDs from which a folder is sharded. */
  readonly shardingThreshold: number
  readonly encode: CidEncoder
  push(event: AddEvent): Promise<void>
}

/** Longest target of a symlink, in bytes: what Linux takes. */
const LONGEST_TARGET = 4096

/** A folder that is being added: what it links to, and the folders among that. */
interface OpenFolder {
  readonly builder: DirectoryBuilder
  readonly folders: Map<string, OpenFolder>
}

/** Turns one upload's entries into UnixFS, and tells of each as the reference does. */
export class Adder {
  readonly #options: AdderOptions
  readonly #nodes: NodeBuilder
  readonly #memory = new LeafPool()

  constructor(options: AdderOptions, writer: BlockWriter) {
    this.#options = options
    const { cidVersion, hash } = options.naming
    this.#nodes = new NodeBuilder({ cidVersion, hash, inlineUpTo: options.inlineUpTo }, writer)
  }

  /** Adds one entry with all below it. The event of its root is handed back, to be told when the rest is done. */
  async add(entry: Uploaded): Promise<{ root: Built; last: AddEvent | undefined }> {
    if (entry.kind === 'directory') return this.addFolder(entry.entries, entry.name)
    const root = await this.#leaf(entry, entry.name)
    return { root, last: this.#options.silent ? undefined : this.#result(entry.name, root) }
  }

  /** Adds `entries` as a folder; `name` is put before the names in its events. */
  async addFolder(entries: AsyncIterable<Uploaded>, name: string): Promise<{ root: Built; last: AddEvent }> {
    const folder = this.#open()
    await this.#fill(folder, entries, name)
    const { root, events } = await this.#close(folder, name)
    const last = events.pop()!
    for (const event of events) await this.#options.push(event)
    return { root, last }
  }

  #open(): OpenFolder {
    return { builder: new DirectoryBuilder(this.#options.shardingThreshold), folders: new Map() }
  }

  async #fill(folder: OpenFolder, entries: AsyncIterable<Uploaded>, path: string): Promise<void> {
    for await (const entry of entries) {
      if (entry.kind === 'directory') await this.#fillFolder(folder, entry, path)
      else {
        const built = await this.#leaf(entry, join(path, entry.name))
        const name = entry.name === '' ? built.cid.toString() : entry.name
        if (folder.folders.has(name)) throw importErrors.E_ENTRY_EXISTS()
        folder.builder.add(name, built)
        if (!this.#options.silent) await this.#options.push(this.#result(join(path, name), built))
      }
    }
  }

  async #fillFolder(parent: OpenFolder, { name, entries }: UploadedFolder, path: string): Promise<void> {
    if (parent.builder.has(name)) throw importErrors.E_ENTRY_EXISTS()
    let folder = parent.folders.get(name)
    if (folder === undefined) {
      folder = this.#open()
      parent.folders.set(name, folder)
    }
    await this.#fill(folder, entries, join(path, name))
  }

  /** Builds a folder from below; its events stand in the order in which the finished folder holds its entries, itself last. */
  async #close({ builder, folders }: OpenFolder, path: string): Promise<{ root: Built; events: AddEvent[] }> {
    const below = new Map<string, AddEvent[]>()
    for (const [name, folder] of folders) {
      const { root, events } = await this.#close(folder, join(path, name))
      builder.add(name, root)
      below.set(name, events)
    }
    const root = await builder.build(this.#nodes)
    const events: AddEvent[] = []
    if (below.size > 0) for (const name of builder.names()) for (const event of below.get(name) ?? []) events.push(event)
    events.push(this.#result(path, root))
    return { root, events }
  }

  async #leaf({ kind, part }: UploadedFile, name: string): Promise<Built> {
    if (kind === 'symlink') {
      return importSymlink(
        await collect(part.bytes(), LONGEST_TARGET, () => contentErrors.E_SYMLINK_TOO_LONG(name, LONGEST_TARGET)),
        this.#nodes
      )
    }
    const { naming, trickle, progress, push } = this.#options
    const chunker = parseChunker(this.#options.chunker)
    const meter = progress ? new Progress(chunker) : undefined
    const report = async (positions: readonly number[]) => {
      for (const Bytes of positions) await push({ Name: name, Bytes: Bytes === 0 ? undefined : Bytes })
    }
    const options = { chunker, layout: trickle ? 'trickle' : 'balanced', rawLeaves: naming.rawLeaves } as const
    const onChunk = meter && ((size: number) => report(meter.chunk(size)))
    const built = await importFile(part.bytes(), { ...options, onChunk }, this.#nodes, this.#memory)
    if (meter !== undefined) await report(meter.end())
    return built
  }

  #result(name: string, { cid, size }: Built): AddEvent {
    const Hash = this.#options.encode(cid)
    return { Name: name, Hash, Size: String(size) }
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : name === '' ? path : `${path}/${name}`
}
