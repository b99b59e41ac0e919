import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { filestoreErrors } from './errors.ts'
import type { PlaceRecord } from './record.ts'

/** Files below the folders that may be referred to. */
export class Files {
  /** The folder that paths are noted relative to, as Kubo does. */
  readonly #base: string
  readonly #roots: readonly string[]
  /** The same with all symlinks followed. */
  #real: Promise<readonly string[]> | undefined
  /** The file that was noted last. */
  #last: { readonly path: string; readonly noted: string } | undefined

  /** @param base - the folder above the repo */
  constructor(base: string, roots: readonly string[]) {
    this.#base = base
    this.#roots = roots.length === 0 ? [base] : roots
  }

  /**
   * How a file is noted. One that is not there, or not to be looked at, is for who reads it to tell.
   *
   * @throws E_REFERENCE_OUTSIDE for one that lies in no root, E_REFERENCE_LINK for one that a symlink leads out of them to
   */
  async noted(path: string): Promise<string> {
    // a file is noted block by block
    if (this.#last?.path === path) return this.#last.noted
    const whole = join(path)
    if (!isAbsolute(path) || !this.#roots.some(root => lies(whole, root))) throw filestoreErrors.E_REFERENCE_OUTSIDE(this.#roots.join(', '))
    const real = await realpath(whole).catch(() => undefined)
    if (real !== undefined && !(await this.#isReachable(real))) throw filestoreErrors.E_REFERENCE_LINK(whole)
    const noted = lies(whole, this.#base) ? relative(this.#base, whole).split(sep).join('/') : whole
    this.#last = { path, noted }
    return noted
  }

  /** @throws E_REFERENCE_MISSING, E_REFERENCE_LINK, E_REFERENCE_KIND, E_REFERENCE_SHORT, E_REFERENCE_FILE */
  async read({ path, offset, size }: PlaceRecord): Promise<Uint8Array> {
    const file = await this.#open(isAbsolute(path) ? join(path) : join(this.#base, path))
    try {
      const bytes = Buffer.allocUnsafeSlow(size)
      let read = 0
      while (read < size) {
        const { bytesRead } = await file.read(bytes, read, size - read, offset + read)
        if (bytesRead === 0) throw filestoreErrors.E_REFERENCE_SHORT(read === 0)
        read += bytesRead
      }
      return bytes
    } finally {
      await file.close()
    }
  }

  /** Opens what lies there and nothing that a symlink has put in its place elsewhere; a pipe is not waited for. */
  async #open(path: string): Promise<FileHandle> {
    const real = await realpath(path).catch(error => {
      throw failed(path, error)
    })
    if (!(await this.#isReachable(real))) throw filestoreErrors.E_REFERENCE_LINK(path)
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(error => {
      throw failed(path, error)
    })
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw filestoreErrors.E_REFERENCE_KIND(path)
  }

  /** Whether a path without symlinks lies in a root. */
  async #isReachable(real: string): Promise<boolean> {
    this.#real ??= Promise.all(this.#roots.map(root => realpath(root).catch(() => root)))
    return (await this.#real).some(root => lies(real, root))
  }
}

function lies(path: string, root: string): boolean {
  const below = relative(root, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOTDIR: 'not a directory'
}

function failed(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT') return filestoreErrors.E_REFERENCE_MISSING(path)
  return filestoreErrors.E_REFERENCE_FILE(`open ${path}: ${REASONS[error.code ?? ''] ?? error.message}`)
}
