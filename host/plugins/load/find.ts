import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'

/** A third party's module: where it is, and the api range found without running it. */
export interface FoundModule {
  readonly from: string
  readonly module: string
  /** The file, or the folder of the package. */
  readonly place: string
  readonly range: string | undefined
  /** The file that has to name the range. */
  readonly declaredIn: string
}

/** Where a key of the configuration leads: a file, or a package. Nothing of it is run. */
export async function findPlugin(key: string, base: string): Promise<FoundModule | undefined> {
  if (key.startsWith('.') || isAbsolute(key)) return fileAt(resolve(base, key))
  for (const name of key.startsWith('@') || key.includes('holdfast-plugin-') ? [key] : [`holdfast-plugin-${key}`, key]) {
    const found = await findPackage(name, base)
    if (found !== undefined) return found
  }
  return undefined
}

/** A file has no manifest of its own, so its text is searched for the `api:` of its declaration. */
export async function fileAt(file: string): Promise<FoundModule | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return { from: file, module: file, place: file, range: /\bapi\s*:\s*['"`]([^'"`]+)['"`]/.exec(text)?.[1], declaredIn: file }
}

async function findPackage(name: string, base: string): Promise<FoundModule | undefined> {
  for (let folder = resolve(base); ; folder = dirname(folder)) {
    const found = await packageAt(join(folder, 'node_modules', name), name)
    if (found !== undefined) return found
    if (folder === dirname(folder)) return undefined
  }
}

/** The package in a folder; undefined when the folder holds none. */
export async function packageAt(root: string, name: string): Promise<FoundModule | undefined> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const manifest = JSON.parse(text) as { exports?: unknown; main?: string; holdfast?: { api?: string } }
  const entry = entryOf(manifest.exports) ?? manifest.main ?? './index.js'
  return { from: name, module: join(root, entry), place: root, range: manifest.holdfast?.api, declaredIn: join(root, 'package.json') }
}

/** The file that `import` of the package itself means, by Node's rules for `exports`. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (Array.isArray(exports)) return exports.map(entryOf).find(entry => entry !== undefined)
  if (typeof exports !== 'object' || exports === null) return undefined
  const conditions = exports as Record<string, unknown>
  if ('.' in conditions) return entryOf(conditions['.'])
  for (const [condition, target] of Object.entries(conditions)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue
    const entry = entryOf(target)
    if (entry !== undefined) return entry
  }
  return undefined
}
