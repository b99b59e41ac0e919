import { cleanPath } from '../../core/go/path.ts'
import { mfsErrors } from './errors.ts'

/**
 * A path as the commands take it: cleaned as a Unix path, but for a slash at its end. (Kubo 0.28, core/commands/files.go)
 *
 * @throws E_MFS_PATH_EMPTY, E_MFS_PATH_RELATIVE
 */
export function checkPath(path: string): string {
  if (path === '') throw mfsErrors.E_MFS_PATH_EMPTY()
  if (!path.startsWith('/')) throw mfsErrors.E_MFS_PATH_RELATIVE()
  return path.endsWith('/') && path !== '/' ? `${cleanPath(path)}/` : cleanPath(path)
}

/** The names on a path; slashes around it do not count. `//` inside means an entry without a name. */
export function namesOf(path: string): string[] {
  const inner = path.slice(leading(path), trailing(path))
  return inner === '' ? [] : inner.split('/')
}

function leading(path: string): number {
  let at = 0
  while (path[at] === '/') at++
  return at
}

function trailing(path: string): number {
  let end = path.length
  while (path[end - 1] === '/') end--
  return Math.max(end, leading(path))
}

/** A path up to its last slash, that included, and what follows. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, at), name: path.slice(at) }
}

/** The last name of a path, as Go's `path.Base`. */
export function baseName(path: string): string {
  if (path === '') return '.'
  const names = namesOf(path)
  return names.at(-1) ?? '/'
}

/** The folder of a path, as Go's `path.Dir`. */
export function folderName(path: string): string {
  return cleanPath(splitPath(path).folder)
}
