/** What a node would hold that kept everything in memory. */

/** Version and hash function of a node's CID; undefined: not followed. */
export interface Naming {
  readonly version: number
  readonly hash: number
}

export interface File {
  readonly data: Buffer
  /** What its root is: a raw block, one dag-pb block with the content in it, or a node with links. */
  readonly form: 'raw' | 'inline' | 'tree'
  readonly naming: Naming | undefined
}

export interface Folder {
  readonly entries: Map<string, ModelEntry>
  naming: Naming | undefined
}

export type ModelEntry = File | Folder

/** A node of dag-cbor: what it links to. */
export interface DagNode {
  readonly text: string
  readonly links: readonly string[]
}

export interface Pin {
  readonly mode: 'recursive' | 'direct'
  readonly name: string
}

export const V0: Naming = { version: 0, hash: 0x12 }
export const V1: Naming = { version: 1, hash: 0x12 }
export const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

export class Model {
  root: Folder = folder(V0)
  /** The tree after each change that is not known to be kept, behind the last one that is. */
  unkept: Folder[] = []
  /** What lies under the CIDs that were seen, and whether all of it is known to be there. */
  readonly known = new Map<string, { readonly entry: ModelEntry; whole: boolean }>()
  /** Raw blocks by their CIDs, as far as they were ever put. */
  readonly blocks = new Map<string, { readonly data: Buffer; there: boolean }>()
  readonly nodes = new Map<string, { readonly node: DagNode; there: boolean }>()
  readonly pins = new Map<string, Pin>([[EMPTY_DIRECTORY, { mode: 'recursive', name: '' }]])
  /** IDs of keys. */
  readonly keys = new Map<string, string>()
  /** Where names lead, by the ID of the key. */
  readonly names = new Map<string, string>()

  at(path: readonly string[]): ModelEntry | undefined {
    let at: ModelEntry | undefined = this.root
    for (const name of path) at = at !== undefined && isFolder(at) ? at.entries.get(name) : undefined
    return at
  }

  folderAt(path: readonly string[]): Folder | undefined {
    const at = this.at(path)
    return at !== undefined && isFolder(at) ? at : undefined
  }

  /** Whether a raw block stays when a collection runs. */
  keepsBlock(cid: string, data: Buffer): boolean {
    if (this.pins.has(cid)) return true
    if (holdsRaw(this.root, data)) return true
    return [...this.pins].some(([pinned, { mode }]) => {
      if (mode !== 'recursive') return false
      const entry = this.known.get(pinned)?.entry
      return this.nodes.get(pinned)?.node.links.includes(cid) || (entry !== undefined && holdsRaw(entry, data))
    })
  }

  /** Whether a pin of another keeps a block, so that it cannot be removed. */
  isPinned(cid: string, data: Buffer): boolean {
    if (this.pins.has(cid)) return true
    return [...this.pins].some(([pinned, { mode }]) => {
      if (mode !== 'recursive') return false
      const entry = this.known.get(pinned)?.entry
      return this.nodes.get(pinned)?.node.links.includes(cid) || (entry !== undefined && holdsRaw(entry, data))
    })
  }
}

export function folder(naming: Naming | undefined, entries: Iterable<readonly [string, ModelEntry]> = []): Folder {
  return { entries: new Map(entries), naming }
}

export function isFolder(entry: ModelEntry): entry is Folder {
  return 'entries' in entry
}

export function copyOf<E extends ModelEntry>(entry: E): E
export function copyOf(entry: ModelEntry): ModelEntry {
  if (!isFolder(entry)) return entry
  return folder(
    entry.naming,
    [...entry.entries].map(([name, inner]) => [name, copyOf(inner)])
  )
}

export function holdsRaw(entry: ModelEntry, data: Buffer): boolean {
  if (!isFolder(entry)) return entry.form === 'raw' && entry.data.equals(data)
  return [...entry.entries.values()].some(inner => holdsRaw(inner, data))
}
