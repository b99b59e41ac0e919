import { chmod, lutimes } from 'node:fs/promises'
import { sep } from 'node:path'
import type { TarMember } from '../../../core/tar/reader.ts'
import { fsPath } from './place.ts'

/** Setuid, setgid and sticky are left out: what was got of strangers must not run as who got it. */
const PERMISSIONS = 0o777
/** What it takes to move or remove what is in a folder. */
const OWNERS = 0o700

interface Made {
  readonly path: string
  readonly member: Pick<TarMember, 'type' | 'mode' | 'mtime'>
}

/** Permissions and times of what is unpacked. A folder gets its time when all that is in it is there. */
export class Metadata {
  /** Folders that the last entry lies in. */
  readonly #open: Made[] = []
  /** Folders that their owner may not change, which would keep them from being moved. */
  readonly #closed: Made[] = []

  async made(member: Made['member'], path: string): Promise<void> {
    await this.#leave(path)
    if (member.type === 'directory') this.#open.push({ member, path })
    else await this.#set({ member, path })
  }

  /** After the last entry, and before all is moved. */
  async finish(from: string, to: string): Promise<void> {
    await this.#leave(undefined)
    for (const [i, { member, path }] of this.#closed.entries()) this.#closed[i] = { member, path: to + path.slice(from.length) }
  }

  /** After all was moved: those within others come first. */
  async close(): Promise<void> {
    for (const { member, path } of this.#closed) await chmod(fsPath(path), member.mode! & PERMISSIONS)
  }

  /** Goes out of the folders that a path does not lie in. */
  async #leave(path: string | undefined): Promise<void> {
    for (let last = this.#open.at(-1); last !== undefined && !path?.startsWith(last.path + sep); last = this.#open.at(-1)) {
      this.#open.pop()
      await this.#set(last)
    }
  }

  async #set(made: Made): Promise<void> {
    const { path, member } = made
    const { type, mode, mtime } = member
    if (type === 'directory' && mode !== undefined && (mode & OWNERS) !== OWNERS) this.#closed.push(made)
    else if (type !== 'symlink' && mode !== undefined) await chmod(fsPath(path), mode & PERMISSIONS)
    if (mtime === undefined) return
    // Node.js takes a number below zero for now, and its text for what it says
    const time = mtime < 0 ? String(mtime) : mtime
    // a time that this file system cannot have is left out
    await lutimes(fsPath(path), time, time).catch(() => {})
  }
}
