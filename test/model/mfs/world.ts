/** A node in memory, and what its mutable tree is to hold. */
import type { CID } from 'multiformats/cid'
import { Blocks, Mfs } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { NAMES, type Place, type Setting } from './steps.ts'

export interface File {
  readonly data: Buffer
}
export interface Folder {
  readonly entries: Map<string, Entry>
}
/** Something of which a block is not here. */
export interface Lost {
  readonly entry: File | Folder
  readonly cid: CID
  readonly bytes: Uint8Array
  /** The first block, without which nobody knows what it is, or one of a file's leaves. */
  readonly part: 'root' | 'leaf'
}
export type Entry = File | Folder | Lost

export const isFolder = (entry: Entry | undefined): entry is Folder => entry !== undefined && 'entries' in entry
export const isFile = (entry: Entry | undefined): entry is File => entry !== undefined && 'data' in entry
export const isUnknown = (entry: Entry | undefined): boolean => entry !== undefined && 'part' in entry && entry.part === 'root'

export function copyOf(entry: Entry): Entry {
  return isFolder(entry) ? { entries: new Map([...entry.entries].map(([name, inner]) => [name, copyOf(inner)])) } : entry
}

export const textOf = (path: readonly string[]) => `/${path.join('/')}`

export class World {
  readonly root: Folder = { entries: new Map() }
  readonly host: NodeHost
  readonly mfs: Mfs
  readonly blocks: Blocks
  /** Counts what is made, so that each has a content of its own. */
  made = 0

  private constructor(host: NodeHost) {
    this.host = host
    this.mfs = host.service(Mfs)!
    this.blocks = host.service(Blocks)!
  }

  static async start({ threshold, journal }: Setting): Promise<World> {
    const node = { 'Internal.UnixFSShardingSizeThreshold': `${threshold}B` }
    return new World(await testHost({ node, configuration: { plugins: { mfs: { held: 1024, journal } } } }))
  }

  at(path: readonly string[]): Entry | undefined {
    let at: Entry | undefined = this.root
    for (const name of path) at = isFolder(at) ? at.entries.get(name) : undefined
    return at
  }

  folderAt(path: readonly string[]): Folder | undefined {
    const at = this.at(path)
    return isFolder(at) ? at : undefined
  }

  /** The paths of all that is there, each folder before what is in it. */
  paths(isWanted: (entry: Entry) => boolean = () => true): string[][] {
    const found: string[][] = []
    const visit = (path: string[], { entries }: Folder) => {
      for (const [name, entry] of entries) {
        const at = [...path, name]
        if (isWanted(entry)) found.push(at)
        if (isFolder(entry)) visit(at, entry)
      }
    }
    visit([], this.root)
    return found
  }

  pathOf({ which, name }: Place): string[] {
    if (name !== undefined) return [...this.folderPath(which), NAMES[name]!]
    const all = this.paths()
    return all.length === 0 ? [NAMES[0]!] : all[which % all.length]!
  }

  folderPath(which: number): string[] {
    const all = [[], ...this.paths(isFolder)]
    return all[which % all.length]!
  }

  /** Does what has to be done, or refused. @returns whether it was done */
  async expect(isDone: boolean, what: object, call: () => Promise<unknown>): Promise<boolean> {
    const error = await call().then(
      () => undefined,
      failure => failure as Error
    )
    if (isDone !== (error === undefined)) throw new Error(`${JSON.stringify(what).slice(0, 300)}: ${error?.stack ?? 'was done'}`)
    return isDone
  }

  /** Lets go of what is in memory. */
  async reopen(): Promise<void> {
    await this.mfs.restore(await this.mfs.flush('/'))
  }

  /** Everything is there, each file read to its end, and nothing else. @throws for the first that is not so */
  async hold(path: readonly string[] = [], { entries }: Folder = this.root): Promise<void> {
    const long = ![...entries.values()].some(isUnknown)
    const found = new Set<string>()
    for await (const { name, node } of this.mfs.list(`${textOf(path)}/`, { long })) {
      found.add(name)
      const entry = entries.get(name)
      const at = textOf([...path, name])
      if (entry === undefined) throw new Error(`${at}: should not be there`)
      const is = isUnknown(entry) ? undefined : (node ?? (await this.mfs.stat(at)))
      const size = isFolder(entry) ? 0 : ('part' in entry ? (entry.entry as File) : entry).data?.length
      if (is !== undefined && (is.type !== (isFolder(entry) ? 'directory' : 'file') || Number(is.size) !== size))
        throw new Error(`${at}: is a ${is.type} of ${is.size} bytes, not of ${size}`)
    }
    if (found.size !== entries.size) throw new Error(`${textOf(path)}: lacks ${[...entries.keys()].filter(name => !found.has(name))}`)
    for (const [name, entry] of entries) {
      const at = [...path, name]
      if (isFolder(entry)) await this.hold(at, entry)
      else if (isFile(entry)) await this.#holdBytes(textOf(at), entry.data)
      else await this.expect(false, { read: textOf(at) }, () => this.read(textOf(at)))
    }
  }

  async read(path: string, offset = 0): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const piece of await this.mfs.read(path, { offset: BigInt(offset) })) pieces.push(new Uint8Array(piece))
    return Buffer.concat(pieces)
  }

  async #holdBytes(path: string, data: Buffer): Promise<void> {
    for (const offset of [0, Math.floor(data.length / 3)]) {
      const found = await this.read(path, offset)
      if (!found.equals(data.subarray(offset)))
        throw new Error(`${path}: the ${found.length} bytes from ${offset} on are not those that were written of ${data.length}`)
    }
  }
}
