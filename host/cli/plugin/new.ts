import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../../plugins/catalogue.ts'
import { packageRoot, version } from '../../version.ts'
import { cliErrors } from '../errors.ts'
import type { Terminal } from '../terminal.ts'

/** Files of `template/`, whose plugin is called `starter`, as they are there and as they are called in a package. */
const FILES: ReadonlyArray<readonly [file: string, as: string]> = [
  ['_package.json', 'package.json'],
  ['_tsconfig.json', 'tsconfig.json'],
  ['_biome.json', 'biome.json'],
  ['_gitignore', '.gitignore'],
  ['README.md', 'README.md'],
  ['src/index.ts', 'src/index.ts'],
  ['src/greetings.ts', 'src/greetings.ts'],
  ['test/index.test.ts', 'test/index.test.ts']
]

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * The manifest as npm writes it. A holdfast that the new package finds in a folder above is used as it is; another one is named by its folder,
 * as its version need not be published.
 */
function manifestText(manifest: Manifest, folder: string): string {
  const { devDependencies } = manifest
  const toHoldfast = isFoundFrom(folder) ? {} : { holdfast: `file:${fileURLToPath(packageRoot).replace(/[\\/]$/, '')}` }
  const all = Object.entries({ ...devDependencies, ...toHoldfast }).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(all) }, null, 2)}\n`
}

/** Whether a file in a folder can import `holdfast`. */
function isFoundFrom(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve('holdfast/package.json')
    return true
  } catch {
    return false
  }
}

/** Writes a package with a plugin in it. @returns the exit status */
export async function create(called: string, { stdout, cwd }: Pick<Terminal, 'stdout' | 'cwd'>): Promise<number> {
  // whoever names the package means the plugin in it
  const name = called.replace(/^holdfast-plugin-/, '')
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) throw cliErrors.E_PLUGIN_NAME(called)
  if (catalogue.some(entry => entry.name === name)) throw cliErrors.E_PLUGIN_NAME_BUILT_IN(name)
  const folder = resolve(cwd, `holdfast-plugin-${name}`)
  if ((await readdir(folder).catch(() => [])).length > 0) throw cliErrors.E_FOLDER_TAKEN(folder)
  const template = new URL('dist/host/cli/plugin/template/', packageRoot)
  for (const [file, as] of FILES) {
    const text = await readFile(new URL(file, template), 'utf8')
    await mkdir(dirname(join(folder, as)), { recursive: true })
    const named = text.replaceAll('^0.0.0', `^${version}`).replaceAll('starter', name)
    await writeFile(join(folder, as), as === 'package.json' ? manifestText(JSON.parse(named), folder) : named)
  }
  stdout.write(`${folder}\n\ncd holdfast-plugin-${name}\nnpm install\nnpm test\nnpx holdfast plugin check\n`)
  return 0
}
