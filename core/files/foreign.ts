import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { NodeError } from '../errors.ts'
import { fileErrors } from './errors.ts'
import { faultOf, type Owned, privateGroupOf, type User } from './ownership.ts'

// Looked at without a wait in between: a command line does this before anything else, and a few lookups take no time worth a turn.

/** Symlinks that are followed, as Linux does. */
const MOST_LINKS = 40

/**
 * Refuses a file or folder whose content somebody other than this user and root decides: one that belongs to another user, or that others
 * can write; and so with each folder and symlink on the way to it. See {@link faultOf}.
 *
 * Nobody else can change what lies there between this look and the use of the file, as all on the way was found to be closed to them. What
 * remains: a process that opened the file for writing while it still could, and rights that modes do not show (ACLs). Windows has no
 * such owners and modes; there nothing is refused.
 *
 * @throws E_FILE_OWNER, E_FILE_SHARED, E_FILE_LINKS, and the system's error for what is not there
 */
export function refuseForeign(path: string): void {
  const fault = foreignFault(path)
  if (fault !== undefined) throw fault
}

/** The same as a value. */
export function foreignFault(path: string): NodeError | undefined {
  const user = thisUser()
  if (user === undefined) return undefined
  const file = resolve(path)
  const { steps, end, lookedIn } = wayTo(file)
  // into a folder others must not put anything; beside it they may
  const near = new Set(steps.at(-1)?.kind === 'folder' ? [end] : [end, dirname(end), lookedIn])
  for (const step of steps) {
    const fault = faultOf(file, step, user, !near.has(step.path))
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Refuses an open file that belongs to another user or that others can write; whose folder it is does not matter. */
export function refuseForeignOpen(path: string, { uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>): void {
  const user = thisUser()
  const fault = user === undefined ? undefined : faultOf(path, { path, kind: 'file', uid, gid, mode }, user)
  if (fault !== undefined) throw fault
}

/** The user that files are opened as; undefined where the system has no such numbers. */
export function thisUser(): User | undefined {
  const uid = process.geteuid?.()
  if (uid === undefined) return undefined
  return {
    uid,
    privateGroup: () => privateGroupOf(uid, textOf('/etc/passwd'), textOf('/etc/group'))
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // nothing is known of users then, so no group is private
    return ''
  }
}

interface Way {
  /** Each folder from the root on, each symlink, and what is at the end. */
  readonly steps: readonly Owned[]
  readonly end: string
  /** The folder, links followed, that has the path's last name: another than that of `end` where the name is a symlink. */
  readonly lookedIn: string
}

/** Everything that decides what a path means, followed as the system does. */
function wayTo(path: string): Way {
  const steps = new Map<string, Owned>()
  const see = (at: string) => {
    const found = lstatSync(at)
    const kind = found.isSymbolicLink() ? 'symlink' : found.isDirectory() ? 'folder' : 'file'
    // the end of the way stays at the end, also where a symlink leads back to what was seen
    steps.delete(at)
    steps.set(at, { path: at, kind, uid: found.uid, gid: found.gid, mode: found.mode })
    return kind
  }
  const names = path.split('/')
  let links = 0
  let at = '/'
  let lookedIn: string | undefined
  see(at)
  while (names.length > 0) {
    const name = names.shift()!
    // targets of symlinks are followed before the names behind them, so this is the path's last one
    if (names.length === 0) lookedIn ??= at
    if (name === '' || name === '.') continue
    if (name === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    if (see(next) !== 'symlink') {
      at = next
      continue
    }
    if (++links > MOST_LINKS) throw fileErrors.E_FILE_LINKS(path)
    const target = readlinkSync(next)
    if (target.startsWith('/')) at = '/'
    names.unshift(...target.split('/'))
  }
  return { steps: [...steps.values()], end: at, lookedIn: lookedIn ?? at }
}
