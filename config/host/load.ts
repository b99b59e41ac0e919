import { readdir, stat } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../core/errors.ts'
import { hostConfigErrors } from './errors.ts'
import type { HostConfig } from './schema.ts'

const MODULES = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'] as const
const EXTENSIONS = ['.yaml', '.yml', '.json', ...MODULES] as const

/** Where a configuration is looked for, in this order. */
export const PLACES: readonly string[] = [
  ...EXTENSIONS.map(extension => `holdfast.config${extension}`),
  '.holdfastrc',
  ...EXTENSIONS.map(extension => `.holdfastrc${extension}`),
  'package.json'
]

/** Most bytes of a file. Reading YAML takes some thirty times its size in memory. */
export const MOST_BYTES = 1024 * 1024

/** A host configuration and where it came from. */
export interface LoadedConfiguration {
  readonly configuration: HostConfig
  /** Absolute path; undefined when there is no configuration file. */
  readonly file: string | undefined
  /** The folder that relative paths in it are meant from: the file's, else `cwd`. */
  readonly folder: string
}

/**
 * Reads the configuration that composes a host: the given file, else the first of `holdfast.config.*`, `.holdfastrc`, `.holdfastrc.*` in
 * `cwd`, else a `holdfast` key in its package.json. Only `cwd` itself is looked at: a configuration can be code, and code of a folder
 * further up is nobody's wish. TypeScript runs as Node runs it, its types left out.
 *
 * @throws E_HOST_CONFIG_ABSENT, E_HOST_CONFIG_LARGE, E_HOST_CONFIG_UNREADABLE, E_HOST_CONFIG_FORM, E_HOST_CONFIG_INVALID
 */
export async function loadHostConfiguration({ file, cwd }: { file?: string; cwd: string }): Promise<LoadedConfiguration> {
  const named = file === undefined ? undefined : resolve(cwd, file)
  const found = named === undefined ? await search(cwd) : await read(named)
  if (found === undefined) return { configuration: {}, file: undefined, folder: cwd }
  const { checkHostConfig } = await import('./check.ts')
  return { configuration: checkHostConfig(found.content, found.file), file: found.file, folder: dirname(found.file) }
}

interface Found {
  readonly file: string
  readonly content: unknown
}

async function search(cwd: string): Promise<Found | undefined> {
  const names = await readdir(cwd).catch(() => [])
  // the reader of configurations takes its time to load, and most nodes have nothing to read
  const there = names.filter(name => PLACES.includes(name))
  if (there.length === 0) return undefined
  for (const name of there) if (name !== 'package.json') await checkSize(join(cwd, name))
  const explorer = await explore()
  try {
    const result = await explorer.search(cwd)
    if (result === null) return undefined
    return { file: result.filepath, content: result.isEmpty ? {} : result.config }
  } catch (error) {
    const { filepath = cwd } = error as { filepath?: string }
    throw hostConfigErrors.E_HOST_CONFIG_UNREADABLE(filepath, messageOf(error))
  }
}

async function read(file: string): Promise<Found> {
  const extension = extname(file)
  if (extension !== '' && !EXTENSIONS.includes(extension as never) && !file.endsWith('.holdfastrc')) {
    throw hostConfigErrors.E_HOST_CONFIG_FORM(file, EXTENSIONS)
  }
  await checkSize(file)
  const explorer = await explore()
  try {
    const result = await explorer.load(file)
    return { file, content: result === null || result.isEmpty ? {} : result.config }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw hostConfigErrors.E_HOST_CONFIG_ABSENT(file)
    throw hostConfigErrors.E_HOST_CONFIG_UNREADABLE(file, messageOf(error))
  }
}

/** @throws E_HOST_CONFIG_LARGE */
async function checkSize(file: string): Promise<void> {
  // what is wrong otherwise shows when it is read
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size > MOST_BYTES) throw hostConfigErrors.E_HOST_CONFIG_LARGE(file, size, MOST_BYTES)
}

async function explore() {
  const { cosmiconfig } = await import('cosmiconfig')
  const loaders = Object.fromEntries(MODULES.map(extension => [extension, importModule]))
  return cosmiconfig('holdfast', { searchPlaces: [...PLACES], searchStrategy: 'none', packageProp: 'holdfast', cache: false, loaders })
}

/** A module's default export, or what it resolves to. */
async function importModule(file: string): Promise<unknown> {
  const { default: content } = (await import(pathToFileURL(file).href)) as { default?: unknown }
  if (content === undefined) throw new Error(`${file} has no default export`)
  return content
}
