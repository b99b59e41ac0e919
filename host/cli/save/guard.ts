import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, extname, join, sep } from 'node:path'
import { isInitialised, repoFiles } from '../../../core/repo/layout.ts'
import { cliErrors } from '../errors.ts'
import { foldName, foldPath, isWithin } from './fold.ts'

/** Files that Node runs or loads as a module. */
const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.wasm', '.node'])

/**
 * Keeps what was got from becoming code or settings of this program: nothing is stored where it would take a configuration, a plugin or the
 * address of a node from. See `guardOf` for what is kept.
 */
export class Guard {
  /** Folded paths, and what this program takes from each. */
  readonly #trees = new Map<string, string>()
  readonly #files = new Map<string, string>()
  readonly #tops = new Map<string, string>()
  readonly #code = new Map<string, string>()
  readonly #real = new Map<string, Promise<string>>()
  readonly #repos = new Map<string, Promise<boolean>>()

  /** Nothing is stored at a path, nor below it. */
  async keepTree(path: string, what: string): Promise<void> {
    for (const one of await this.#bothPaths(path)) this.#trees.set(one, what)
  }

  /** A path stays as it is. */
  async keepFile(path: string, what: string): Promise<void> {
    for (const one of await this.#bothPaths(path)) this.#files.set(one, what)
  }

  /** No file in a folder gets a name under which a configuration or a package is looked for. */
  async keepTop(folder: string, what: string): Promise<void> {
    for (const one of await this.#bothPaths(folder)) this.#tops.set(one, what)
  }

  /** Modules that are in a folder, or below it, are not replaced. */
  async keepCode(folder: string, what: string): Promise<void> {
    for (const one of await this.#bothPaths(folder)) this.#code.set(one, what)
  }

  /**
   * @param path - where something is to be stored, absolute
   * @throws E_SAVE_TRUSTED
   */
  async check(path: string, type: 'file' | 'directory' | 'symlink'): Promise<void> {
    const real = join(await this.#realFolder(dirname(path)), basename(path))
    const what = this.#taken(real, type) ?? (await this.#replaced(real, type)) ?? (await this.#inRepo(real))
    if (what !== undefined) throw cliErrors.E_SAVE_TRUSTED(real, what)
  }

  #taken(path: string, type: string): string | undefined {
    const folded = foldPath(path)
    for (const [tree, what] of this.#trees) if (isWithin(folded, tree)) return what
    const guarded = this.#files.get(folded)
    if (guarded !== undefined) return guarded
    const top = this.#tops.get(foldPath(dirname(path)))
    if (top !== undefined && isLookedFor(foldName(basename(path)))) return top
    if (type !== 'symlink') return undefined
    // one in the place of a folder decides what all below it means
    for (const kept of [this.#trees, this.#files, this.#tops, this.#code])
      for (const [one, what] of kept) if (isWithin(one, folded)) return what
    return undefined
  }

  async #replaced(path: string, type: string): Promise<string | undefined> {
    const folded = foldPath(path)
    if (type === 'directory' || !MODULES.has(extname(folded))) return undefined
    for (const [folder, what] of this.#code)
      if (isWithin(folded, folder) && (await lstat(path).catch(() => undefined)) !== undefined) return what
    return undefined
  }

  async #inRepo(path: string): Promise<string | undefined> {
    const folder = dirname(path)
    return (await this.#isRepo(folder)) ? `the repo ${folder}` : undefined
  }

  /** Whether a folder is a repo, or lies in one. */
  #isRepo(folder: string): Promise<boolean> {
    return remembered(this.#repos, folder, async () => {
      const spec = await lstat(join(folder, repoFiles.storage)).catch(() => undefined)
      if (spec !== undefined && (await isInitialised(folder))) return true
      return dirname(folder) !== folder && (await this.#isRepo(dirname(folder)))
    })
  }

  /** A folder with the symlinks in its path followed, as far as there is something. */
  #realFolder(folder: string): Promise<string> {
    return remembered(this.#real, folder, () =>
      realpath(folder).catch(async () =>
        dirname(folder) === folder ? folder : join(await this.#realFolder(dirname(folder)), basename(folder))
      )
    )
  }

  /** A path with the symlinks before its last name followed, and with all followed: what it is called, and what it is. */
  async #bothPaths(path: string): Promise<string[]> {
    const called = join(await this.#realFolder(dirname(path)), basename(path))
    return [...new Set([called, await this.#realFolder(path)].map(foldPath))]
  }
}

/** Folders that something is remembered of, at most: an archive may have any number. */
const MOST_FOLDERS = 4096

function remembered<T>(of: Map<string, Promise<T>>, folder: string, look: () => Promise<T>): Promise<T> {
  const known = of.get(folder)
  if (known !== undefined) return known
  if (of.size >= MOST_FOLDERS) of.clear()
  const looked = look()
  of.set(folder, looked)
  return looked
}

/** Whether a name, folded, is one under which a configuration, a package or packages are looked for. */
function isLookedFor(name: string): boolean {
  if (/^(holdfast\.config\.|\.holdfastrc|package\.json$|node_modules$)/.test(name)) return true
  // the short name that Windows gives to a long one leads to the same file
  return sep === '\\' && /~\d/.test(name)
}
