import { isUtf8 } from 'node:buffer'
import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasCode, messageOf, NodeError } from '../../core/errors.ts'
import { refuseForeign, refuseForeignOpen } from '../../core/files/foreign.ts'
import { withRegularFile } from '../../core/files/regular.ts'
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

/** A configuration that comes from a file. */
type FoundConfiguration = LoadedConfiguration & { readonly file: string }

/**
 * The configuration in a file. It can be code: whether the file is trusted is the caller's to know.
 *
 * @throws E_HOST_CONFIG_ABSENT, E_HOST_CONFIG_LARGE, E_HOST_CONFIG_UNREADABLE, E_HOST_CONFIG_FORM, E_HOST_CONFIG_INVALID, and E_FILE_OWNER
 *   and E_FILE_SHARED for a file that others decide over
 */
export async function configurationAt(file: string): Promise<FoundConfiguration> {
  const extension = extname(file)
  if (extension !== '' && !EXTENSIONS.includes(extension as never) && !file.endsWith('.holdfastrc')) {
    throw hostConfigErrors.E_HOST_CONFIG_FORM(file, EXTENSIONS)
  }
  try {
    return await checked(file, await contentOf(file))
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? hostConfigErrors.E_HOST_CONFIG_ABSENT(file) : unreadable(file, error)
  }
}

/**
 * The configuration in a folder: the first of `holdfast.config.*`, `.holdfastrc`, `.holdfastrc.*` that is not empty, else a `holdfast` key
 * in package.json. Folders further up are left alone. Throws as {@link configurationAt} does.
 *
 * @param names - those of {@link PLACES} that are there, where they are known
 */
export async function configurationIn(folder: string, names?: readonly string[]): Promise<FoundConfiguration | undefined> {
  for (const name of names ?? (await placesIn(folder))) {
    const file = join(folder, name)
    const content = await contentOf(file).catch(error => {
      // every folder may have one, of anybody
      if (name === 'package.json' && (hasCode(error, 'ENOENT') || hasCode(error, 'E_FILE_IRREGULAR'))) return undefined
      throw hasCode(error, 'ENOENT')
        ? hostConfigErrors.E_HOST_CONFIG_UNREADABLE(file, 'it is a symlink that leads nowhere')
        : unreadable(file, error)
    })
    if (content !== undefined) return checked(file, content)
  }
  return undefined
}

/** Names in a folder under which a configuration is looked for, in the order in which they count. Nothing of them is read. */
export async function placesIn(folder: string): Promise<string[]> {
  const names = new Set(await readdir(folder).catch(() => []))
  return PLACES.filter(place => names.has(place))
}

/** Whether reading a configuration of this name means to run it. */
export function isCode(file: string): boolean {
  return MODULES.includes(extname(file) as never)
}

async function checked(file: string, content: unknown): Promise<FoundConfiguration> {
  const { checkHostConfig } = await import('./check.ts')
  return { configuration: checkHostConfig(content ?? {}, file), file, folder: dirname(file) }
}

/** The content of a configuration file; undefined where it is empty. */
async function contentOf(file: string): Promise<unknown> {
  // every package has one, which is none of ours unless it says so
  if (basename(file) === 'package.json') return packageContent(file)
  const text = await textOf(file)
  if (text.trim() === '') return undefined
  // Node opens a module again, from folders that were found to be closed to others
  return understood(file, () => (isCode(file) ? importModule(file) : parse(file, text)))
}

async function packageContent(file: string): Promise<unknown> {
  const text = await textOf(file, { isOurs: false })
  if (!text.includes('"holdfast"')) return undefined
  const manifest = await understood(file, () => parse(file, text))
  const content = (manifest as { holdfast?: unknown } | null | undefined)?.holdfast
  if (content !== undefined) refuseForeign(file)
  return content
}

/** The text of a file that nobody else decides over, read from the very file that was looked at. */
async function textOf(file: string, { isOurs = true } = {}): Promise<string> {
  if (isOurs) refuseForeign(file)
  return withRegularFile(file, async ({ found, whole }) => {
    if (isOurs) {
      refuseForeignOpen(file, found)
      if (found.size > MOST_BYTES) throw hostConfigErrors.E_HOST_CONFIG_LARGE(file, found.size, MOST_BYTES)
    }
    return decoded(file, await whole(), isOurs)
  })
}

function decoded(file: string, bytes: Buffer, isOurs: boolean): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (isOurs && !isUtf8(bytes)) throw hostConfigErrors.E_HOST_CONFIG_UNREADABLE(file, 'there are bytes in it that are no UTF-8')
  return bytes.toString('utf8')
}

/**
 * Reads text with the loaders of cosmiconfig. Its explorers are not used: before they search they look for settings of their own in the
 * working directory, and run `.config/config.js` there.
 */
async function parse(file: string, text: string): Promise<unknown> {
  const { defaultLoaders } = await import('cosmiconfig')
  return defaultLoaders[extname(file) === '.json' ? '.json' : '.yaml'](file, text) as unknown
}

/** An error of ours as it is, one of the system with the file's name. */
function unreadable(file: string, error: unknown): Error {
  return error instanceof NodeError ? error : hostConfigErrors.E_HOST_CONFIG_UNREADABLE(file, messageOf(error))
}

/** @throws E_HOST_CONFIG_UNREADABLE with what keeps the file from being understood */
async function understood(file: string, read: () => Promise<unknown>): Promise<unknown> {
  try {
    return (await read()) ?? undefined
  } catch (error) {
    throw hostConfigErrors.E_HOST_CONFIG_UNREADABLE(file, messageOf(error))
  }
}

/** A module's default export, or what it resolves to. */
async function importModule(file: string): Promise<unknown> {
  const { default: content } = (await import(pathToFileURL(file).href)) as { default?: unknown }
  if (content === undefined) throw new Error(`${file} has no default export`)
  return content
}
