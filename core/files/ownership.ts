import type { NodeError } from '../errors.ts'
import { fileErrors } from './errors.ts'

/** A file, folder or symlink, as far as it says who decides what is in it. */
export interface Owned {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'symlink'
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** The user that this program runs as. */
export interface User {
  readonly uid: number
  /** The group that nobody else is in. Asked for where a file's group may write, which is rare. */
  privateGroup(): number | undefined
}

const STICKY = 0o1000
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002

/**
 * The fault of a file, or of something on the way to it: it belongs to another user than this one or root, or others can write it.
 *
 * In a folder whose sticky bit is set (`/tmp`) nobody can rename or remove what is another's, so one on the way does no harm; the folder
 * that a file is looked for in does, as anybody can add a file to it.
 *
 * @param file - how the error calls what is to be used
 * @param isWay - whether `owned` is a folder on the way, with another one between it and the file
 */
export function faultOf(file: string, owned: Owned, user: User, isWay = false): NodeError | undefined {
  const { path, kind, uid, gid, mode } = owned
  if (uid !== user.uid && uid !== 0) return fileErrors.E_FILE_OWNER(file, path, uid)
  // the mode of a symlink means nothing: who may change it is its folder's to say
  if (kind === 'symlink' || (kind === 'folder' && isWay && (mode & STICKY) !== 0)) return undefined
  const byOthers = (mode & OTHERS_WRITE) !== 0
  const byGroup = (mode & GROUP_WRITES) !== 0 && gid !== user.privateGroup()
  if (!byOthers && !byGroup) return undefined
  return fileErrors.E_FILE_SHARED(file, path, mode, `${byGroup ? 'g' : ''}${byOthers ? 'o' : ''}`)
}

/**
 * The primary group of a user where nobody else is in it, as Debian and Fedora make one for each user: such users have umask 002. In doubt
 * there is none: for users and groups that the two files do not have (LDAP), have twice, or take from elsewhere (`+`).
 *
 * @param passwd - text of `/etc/passwd`
 * @param group - text of `/etc/group`
 */
export function privateGroupOf(uid: number, passwd: string, group: string): number | undefined {
  const [users, groups] = [rowsOf(passwd), rowsOf(group)]
  if ([...users, ...groups].some(([name = '']) => /^[+-]/.test(name))) return undefined
  const [mine, another] = users.filter(([, , id]) => id === String(uid))
  if (mine === undefined || another !== undefined) return undefined
  const [name, , , gid] = mine
  const isShared = users.some(user => user !== mine && user[3] === gid)
  const [groupOfUser, twin] = groups.filter(([, , id]) => id === gid)
  if (isShared || groupOfUser === undefined || twin !== undefined || groupOfUser[0] !== name) return undefined
  const members = (groupOfUser[3] ?? '').split(',').filter(member => member !== '')
  return members.every(member => member === name) ? Number(gid) : undefined
}

function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split(':').map(field => field.trim()))
}
