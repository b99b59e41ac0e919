import { join, resolve } from 'node:path'
import { configurationAt, configurationIn, type LoadedConfiguration, placesIn } from '../../../config/host/load.ts'
import { withRegularFile } from '../../../core/files/regular.ts'
import { TrustedFolders } from '../trust/folders.ts'
import { configurationFolder, stateFolder } from '../trust/places.ts'
import { withLevel } from './environment.ts'

export interface Around {
  /** The file behind `--config`. */
  readonly file: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the working directory counts as trusted, whatever is remembered of it. */
  readonly trusted?: boolean
}

/** Files of the working directory that were not loaded, as it is not trusted. */
export interface Withheld {
  readonly folder: string
  /** Names of files that may hold a configuration. */
  readonly names: readonly string[]
}

export interface ChosenConfiguration {
  readonly loaded: LoadedConfiguration
  readonly withheld: Withheld | undefined
}

/** The file that was named, by `--config` or HOLDFAST_CONFIG; undefined where the working directory is looked at. */
export function namedConfiguration({ file, cwd, env }: Around): string | undefined {
  const named = file ?? (env['HOLDFAST_CONFIG'] || undefined)
  return named === undefined ? undefined : resolve(cwd, named)
}

/**
 * The configuration that counts: the file that was named, else the one in the working directory where the user trusts that, else the
 * user's own; with the level of the RPC that the environment names. Of a folder that is not trusted the names are looked at, and nothing is read.
 *
 * @throws what is wrong with the configuration that counts
 */
export async function chooseConfiguration(around: Around): Promise<ChosenConfiguration> {
  const { loaded, withheld } = await found(around)
  return { loaded: withLevel(loaded, around.env), withheld }
}

async function found(around: Around): Promise<ChosenConfiguration> {
  const { cwd, env, trusted = false } = around
  const named = namedConfiguration(around)
  if (named !== undefined) return { loaded: await configurationAt(named), withheld: undefined }
  const names = await placesIn(cwd)
  let withheld: Withheld | undefined
  if (names.length > 0) {
    if (trusted || (await new TrustedFolders(stateFolder({ env })).has(cwd))) {
      const here = await configurationIn(cwd, names)
      if (here !== undefined) return { loaded: here, withheld: undefined }
    } else withheld = { folder: cwd, names }
  }
  const users = await configurationIn(configurationFolder({ env }))
  return { loaded: users ?? { configuration: {}, file: undefined, folder: cwd }, withheld }
}

/** How a folder becomes a trusted one. */
export const TRUST_IT = 'Where you trust what is in it: holdfast trust'

/** Most bytes of a package.json that are looked through. */
const LOOKED_AT = 65_536

/**
 * The text about files that were not loaded; undefined where they hold no configuration. Every package has a package.json, so its text is
 * searched for the key of a configuration; it is not parsed.
 */
export async function tellWithheld({ folder, names }: Withheld): Promise<string | undefined> {
  const files = names.filter(name => name !== 'package.json')
  const all = names.length === files.length || !(await mentionsUs(join(folder, 'package.json'))) ? files : [...files, 'package.json']
  if (all.length === 0) return undefined
  return `Not loaded: ${all.join(', ')} in ${folder}, which is no trusted folder.`
}

async function mentionsUs(file: string): Promise<boolean> {
  const text = await withRegularFile(file, async ({ first }) => (await first(LOOKED_AT)).toString('latin1')).catch(() => '')
  // a plugin's package says there which api it is written for
  const found = [...text.matchAll(/"holdfast"\s*:\s*\{\s*/g)]
  return found.some(({ index, 0: opened }) => !text.startsWith('"api"', index + opened.length))
}
