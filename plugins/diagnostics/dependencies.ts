import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Dependency {
  readonly name: string
  readonly version: string
  /** The package that is installed under this name, where that is another one. */
  readonly installed: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** This program, then every package that it was installed with, by name. Nothing when its manifest cannot be found. */
export async function* dependencies(): AsyncGenerator<Dependency> {
  const root = await rootOf(dirname(fileURLToPath(import.meta.url)))
  if (root === undefined) return
  yield { name: root.manifest.name, version: root.manifest.version, installed: '' }
  const found = new Map<string, Dependency>()
  const queue = [root]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const name of Object.keys(at.manifest.dependencies ?? {})) {
      const next = await installedFrom(at.folder, name)
      if (next === undefined || found.has(next.folder)) continue
      const { name: packageName, version } = next.manifest
      found.set(next.folder, { name, version, installed: packageName === name ? '' : `${packageName}@${version}` })
      queue.push(next)
    }
  }
  yield* [...found.values()].sort((a, b) => order(a.name, b.name) || order(a.version, b.version))
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

interface Package {
  readonly folder: string
  readonly manifest: Manifest
}

async function rootOf(folder: string): Promise<Package | undefined> {
  const manifest = await manifestIn(folder)
  if (manifest?.name === 'holdfast') return { folder, manifest }
  return dirname(folder) === folder ? undefined : rootOf(dirname(folder))
}

/** A package as Node finds it from a folder: in the nearest `node_modules`. */
async function installedFrom(folder: string, name: string): Promise<Package | undefined> {
  const candidate = join(folder, 'node_modules', name)
  const manifest = await manifestIn(candidate)
  if (manifest !== undefined) return { folder: candidate, manifest }
  return dirname(folder) === folder ? undefined : installedFrom(dirname(folder), name)
}

async function manifestIn(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Manifest)
}
