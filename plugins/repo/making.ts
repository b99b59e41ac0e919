import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StorageLayers } from '../../core/index.ts'
import { isInitialised, repoFiles } from '../../core/repo/layout.ts'
import { namesIn } from '../../core/repo/layouts.ts'
import { refused } from './errors.ts'

/**
 * Makes a folder and those above it that are missing, one by one: `recursive` calls a read-only file system a missing folder, and below `/proc` it never
 * ends (Node.js 24).
 *
 * @returns the first that was made
 */
async function makeFolders(path: string): Promise<string | undefined> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(error => {
      if (error.code === 'ENOENT' && dirname(at) !== at) return undefined
      throw error
    })
    if (found?.isDirectory() === false) throw Object.assign(new Error(`${at} is no folder`), { code: 'ENOTDIR' })
    if (found !== undefined) break
    missing.push(at)
  }
  for (const folder of missing.reverse()) {
    await mkdir(folder, { mode: 0o700 }).catch(error => {
      // somebody else made it meanwhile
      if (error.code !== 'EEXIST') throw error
    })
  }
  return missing[0]
}

/** A repo that is being made in a folder: what was there before is known, so that the folder can be left as it was found. */
export class Making {
  readonly #path: string
  /** The first of the folders on the way to the repo's that had to be made. */
  readonly #firstMade: string | undefined
  readonly #before: ReadonlySet<string>
  /** The files that belong to a repo's folder: all else is somebody's who works in the same folder. */
  readonly #repoFiles: ReadonlySet<string>

  private constructor(path: string, firstMade: string | undefined, before: readonly string[], layers: StorageLayers) {
    this.#path = path
    this.#firstMade = firstMade
    this.#before = new Set(before)
    const { lock: _, ...files } = repoFiles
    this.#repoFiles = new Set([...Object.values(files).flatMap(name => [name, `${name}.tmp`]), ...namesIn(layers)])
  }

  /** Makes the folder where it is missing. @throws E_REPO_PERMISSION, E_REPO_READ_ONLY, E_REPO_NOT_FOLDER, E_REPO_IO */
  static async begin(path: string, layers: StorageLayers): Promise<Making> {
    try {
      const firstMade = await makeFolders(path)
      return new Making(path, firstMade, await readdir(path), layers)
    } catch (error) {
      throw refused(error, 'create', path)
    }
  }

  /**
   * Removes the files of a repo, and what the layouts name, that have come into the folder since, but for the lock. Of a folder that holds a repo
   * by now, nothing is removed.
   */
  async undo(): Promise<void> {
    if (await isInitialised(this.#path)) return
    const names = await readdir(this.#path).catch(() => [])
    const since = names.filter(name => this.#repoFiles.has(name) && !this.#before.has(name))
    await Promise.all(since.map(name => rm(join(this.#path, name), { recursive: true, force: true })))
  }

  /** Removes the folders that were made, where they are empty. */
  async removeFolders(): Promise<void> {
    if (this.#firstMade === undefined) return
    const end = dirname(this.#firstMade)
    for (let folder = this.#path; folder !== end; folder = dirname(folder)) {
      const isGone = await rmdir(folder).then(
        () => true,
        () => false
      )
      if (!isGone) return
    }
  }
}
