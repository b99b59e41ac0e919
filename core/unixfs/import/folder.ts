import type { Metadata } from '../metadata.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { DirectoryBuilder, type DirectoryOptions } from './directory.ts'
import { importErrors } from './errors.ts'

const NO_FOLDERS: ReadonlyMap<string, Folder> = new Map()

export interface FolderOptions extends DirectoryOptions {
  /** Whether folders without entries in it are kept. Default true. */
  readonly empty?: boolean | undefined
}

/** A directory of an upload while its entries come, and after. */
export class Folder {
  /** Its path in the upload, without a slash at the start. */
  readonly name: string
  /** The folders in it; made for the first, as most folders have none and an upload may have very many. */
  #folders: Map<string, Folder> | undefined
  readonly #options: FolderOptions
  /** Metadata of its node. */
  readonly #metadata: Metadata | undefined
  /** Whether nothing was put into it; once it is built. */
  #isEmpty = false
  #entries: DirectoryBuilder | undefined
  #built: Built | undefined
  /** The folders in it as they are listed; once it is built. */
  #listed: readonly Folder[] = []

  constructor(name: string, options: FolderOptions, metadata?: Metadata) {
    this.name = name
    this.#options = options
    this.#metadata = metadata
  }

  /** The node that it became, once it is built. */
  get built(): Built {
    return this.#built!
  }

  folders(): Iterable<Folder> {
    return this.#folders?.values() ?? []
  }

  /** @throws E_ENTRY_EXISTS */
  add(name: string, built: Built): void {
    if (this.#folders?.has(name)) throw importErrors.E_ENTRY_EXISTS()
    this.#entries ??= new DirectoryBuilder(this.#options, this.#metadata)
    this.#entries.add(name, built)
  }

  /** The folder of this name in it: the one that is there, or a new one. @throws E_ENTRY_IS_FILE, E_FOLDER_UNNAMED */
  folder(name: string, make: () => Folder): Folder {
    if (name === '') throw importErrors.E_FOLDER_UNNAMED()
    if (this.#entries?.has(name)) throw importErrors.E_ENTRY_IS_FILE()
    this.#folders ??= new Map()
    const folder = this.#folders.get(name) ?? make()
    this.#folders.set(name, folder)
    return folder
  }

  /** Makes its blocks and lets go of its entries. The folders in it have to be built. */
  async build(nodes: NodeBuilder): Promise<void> {
    const entries = this.#entries ?? new DirectoryBuilder(this.#options, this.#metadata)
    const folders = new Map(this.#folders ?? NO_FOLDERS)
    this.#isEmpty = this.#entries === undefined && folders.size === 0
    // one that is left with nothing by this stays
    if (this.#options.empty === false) for (const [name, folder] of folders) if (folder.#isEmpty) folders.delete(name)
    for (const [name, { built }] of folders) entries.add(name, built)
    this.#listed = entries.inOrder(folders.keys()).map(name => folders.get(name)!)
    this.#folders = undefined
    this.#entries = undefined
    this.#built = await entries.build(nodes)
  }

  /** All folders from here down, each after those in it. Without recursion: an upload's paths may be deep. */
  *postOrder(): Generator<Folder> {
    const open = [{ folder: this as Folder, next: 0 }]
    for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
      const inner = at.folder.#listed[at.next++]
      if (inner !== undefined) open.push({ folder: inner, next: 0 })
      else yield open.pop()!.folder
    }
  }
}
