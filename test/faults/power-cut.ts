/**
 * What a power cut leaves of a disk, by the rules that POSIX has: of a file what its last sync took up, of a folder the names that its last
 * sync took up, and of what came later as much or as little as chance has it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DiskRecord } from './disk.ts'

/** How many of so many changes that were not synced have reached the disk, in the order in which they were made. */
export type Kept = (unsynced: number) => number

/** Nothing that nobody asked for. */
export const nothing: Kept = () => 0

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer; isLost: boolean }
  | { readonly kind: 'truncate'; readonly size: number; isLost: boolean }

class File {
  readonly changes: Change[] = []
  durable = 0

  /** A sync that fails tells of its loss once: what it had taken up is not written any more. */
  lose(upTo: number): void {
    for (const change of this.changes.slice(this.durable, upTo)) change.isLost = true
  }

  content(kept: Kept): Buffer {
    const count = this.durable + kept(this.changes.length - this.durable)
    let bytes = Buffer.alloc(0)
    const resize = (size: number) => {
      const next = Buffer.alloc(size)
      bytes.copy(next)
      bytes = next
    }
    for (const change of this.changes.slice(0, count)) {
      if (change.isLost) continue
      if (change.kind === 'truncate') resize(change.size)
      else {
        if (change.at + change.bytes.length > bytes.length) resize(change.at + change.bytes.length)
        change.bytes.copy(bytes, change.at)
      }
    }
    return bytes
  }
}

type Renaming = ReadonlyMap<string, File | Folder | undefined>

class Folder {
  /** What became of names: a rename within the folder changes two of them at once. */
  readonly changes: Renaming[] = []
  /** The names now. */
  readonly names = new Map<string, File | Folder>()
  durable = 0

  change(change: Renaming): void {
    this.changes.push(change)
    rename(this.names, change)
  }

  left(kept: Kept): ReadonlyMap<string, File | Folder> {
    const names = new Map<string, File | Folder>()
    for (const change of this.changes.slice(0, this.durable + kept(this.changes.length - this.durable))) rename(names, change)
    return names
  }
}

function rename(names: Map<string, File | Folder>, change: Renaming): void {
  for (const [name, entry] of change) {
    if (entry === undefined) names.delete(name)
    else names.set(name, entry)
  }
}

/** The disk as records of all that was done to it since the folder was made tell of it. */
export class PowerModel {
  readonly #root = new Folder()
  readonly #inodes = new Map<string, File | Folder>()
  readonly #syncs = new Map<string, readonly [of: File | Folder, upTo: number]>()

  apply(record: DiskRecord): void {
    const { op, path, to, inode, a } = record
    if (op === 'create') this.#name(path, this.#made(inode, new File()))
    else if (op === 'mkdir') {
      if (path === '.') this.#inodes.set(inode, this.#root)
      else this.#name(path, this.#made(inode, new Folder()))
    } else if (op === 'link') this.#name(path, this.#inodes.get(inode))
    else if (op === 'unlink') this.#name(path, undefined)
    else if (op === 'rename') this.#rename(path, to!, this.#inodes.get(inode))
    else if (op === 'write') this.#file(inode)?.changes.push({ kind: 'write', at: a, bytes: record.bytes, isLost: false })
    else if (op === 'truncate') this.#file(inode)?.changes.push({ kind: 'truncate', size: a, isLost: false })
    else if (op === 'sync-start') {
      const of = this.#inodes.get(inode)
      if (of !== undefined) this.#syncs.set(keyOf(record), [of, of.changes.length])
    } else if (op === 'sync') this.#synced(record)
  }

  /** Writes what is left into a folder. */
  leave(folder: string, kept: Kept = nothing): void {
    const write = (of: Folder, path: string) => {
      mkdirSync(path, { mode: 0o700 })
      for (const [name, entry] of of.left(kept)) {
        if (entry instanceof Folder) write(entry, join(path, name))
        else writeFileSync(join(path, name), entry.content(kept), { mode: 0o600 })
      }
    }
    write(this.#root, folder)
  }

  #made<T extends File | Folder>(inode: string, entry: T): T {
    this.#inodes.set(inode, entry)
    return entry
  }

  #file(inode: string): File | undefined {
    const found = this.#inodes.get(inode)
    return found instanceof File ? found : undefined
  }

  #folder(path: string): Folder {
    let folder = this.#root
    for (const name of path.split('/').filter(part => part !== '.')) folder = folder.names.get(name) as Folder
    return folder
  }

  #name(path: string, entry: File | Folder | undefined): void {
    this.#folder(dirname(path)).change(new Map([[basename(path), entry]]))
  }

  #rename(from: string, to: string, entry: File | Folder | undefined): void {
    if (dirname(from) !== dirname(to)) {
      this.#name(to, entry)
      this.#name(from, undefined)
    } else
      this.#folder(dirname(from)).change(
        new Map([
          [basename(from), undefined],
          [basename(to), entry]
        ])
      )
  }

  #synced(record: DiskRecord): void {
    const started = this.#syncs.get(keyOf(record))
    if (started === undefined) return
    const [of, upTo] = started
    if (record.result === 0) of.durable = Math.max(of.durable, upTo)
    else if (of instanceof File) of.lose(upTo)
  }
}

const keyOf = ({ a, b }: DiskRecord) => `${b}.${a}`
const basename = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The disk after the record that says `note`; the last one, where no note is given. */
export function modelAfter(records: readonly DiskRecord[], note?: string): PowerModel {
  const model = new PowerModel()
  for (const record of records) {
    model.apply(record)
    if (note !== undefined && record.op === 'note' && record.path === note) return model
  }
  if (note !== undefined) throw new Error(`nothing says ${note}`)
  return model
}
