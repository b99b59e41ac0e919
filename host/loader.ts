import { readFile, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { didYouMean } from '../config/host/suggest.ts'
import { foreignFault } from '../core/files/foreign.ts'
import { API_VERSION, type Command, plugin as made, messageOf, type NodeError, type Plugin, type Status } from '../core/index.ts'
import type { CatalogueEntry } from '../plugins/catalogue.ts'
import { type HostConfiguration, onFailureOf } from './configuration.ts'
import { hostErrors } from './errors.ts'
import { decidePlugin, isStatus } from './toggles.ts'

/** A plugin that is to run on this host. */
export interface Loaded {
  readonly plugin: Plugin
  /** `built-in`, or the file or package it came from. */
  readonly from: string
  /** Its keys in the configuration: its name, and the file or package it was named by. */
  readonly keys: readonly string[]
  readonly settings: unknown
  /** Its file, or the folder of its package, links followed; undefined for a built-in, and for one handed over as a value. */
  readonly place?: string
}

/** A plugin that is not, and why. */
export interface NotLoaded {
  readonly name: string
  readonly status: Status
  readonly about: string
  readonly from: string
  readonly state: 'off' | 'failed'
  readonly reason: string
  readonly paths: readonly string[]
  readonly services: readonly string[]
}

export interface LoadOptions {
  readonly catalogue: readonly CatalogueEntry[]
  readonly configuration: HostConfiguration
  /** How messages call the configuration: its file, or `the configuration`. */
  readonly where: string
  /** The folder that files and packages are found from. */
  readonly base: string
  /** Plugins handed over as values. */
  readonly given?: readonly Plugin[]
}

/** Finds, checks and imports what the configuration wants. What is off is never imported; nor is code written for another api. */
export async function loadPlugins(options: LoadOptions): Promise<{ loaded: Loaded[]; notLoaded: NotLoaded[] }> {
  const { catalogue, configuration, where, base, given = [] } = options
  const loaded: Loaded[] = []
  const notLoaded: NotLoaded[] = []

  const jobs = catalogue.map(async (entry): Promise<Loaded | NotLoaded> => {
    const about = {
      name: entry.name,
      status: entry.status,
      about: entry.about,
      from: 'built-in',
      paths: entry.paths,
      services: entry.services
    }
    const { on, reason } = decidePlugin(entry, configuration, where)
    if (!on) return { ...about, state: 'off' as const, reason }
    return attempt(about, async () => take((await entry.load()).default, 'built-in', [entry.name]))
  })
  for (const plugin of given)
    jobs.push(attempt(named(plugin.name, plugin.status, 'given'), async () => take(plugin, 'given', [plugin.name])))
  for (const key of Object.keys(configuration.plugins ?? {})) {
    if (isStatus(key) || catalogue.some(entry => entry.name === key) || given.some(plugin => plugin.name === key)) continue
    const about = named(key, 'regular', key)
    jobs.push(
      attempt(about, async () => {
        const found = await findPlugin(key, base)
        if (found === undefined) {
          const known = [...catalogue.map(entry => entry.name), 'experimental', 'deprecated', 'removed']
          throw hostErrors.E_PLUGIN_UNKNOWN(key, where, didYouMean(key, known))
        }
        const { on, reason } = decidePlugin({ name: key, status: 'regular' }, configuration, where)
        if (!on) return { ...about, state: 'off' as const, reason }
        return { ...take(await importChecked(key, found), found.from, [key]), place: await realpath(found.place).catch(() => found.place) }
      })
    )
  }
  for (const result of await Promise.all(jobs)) {
    if ('plugin' in result) loaded.push(result)
    else notLoaded.push(result)
  }
  refuseTwins(loaded)
  return { loaded, notLoaded }

  async function attempt(about: Omit<NotLoaded, 'state' | 'reason'>, load: () => Promise<Loaded | NotLoaded>): Promise<Loaded | NotLoaded> {
    try {
      return await load()
    } catch (error) {
      const known = (error as Partial<NodeError>).code?.startsWith?.('E_PLUGIN') === true
      const failure = known ? (error as Error) : hostErrors.E_PLUGIN_IMPORT(about.name, about.from, messageOf(error))
      if (onFailureOf(configuration, about.name) === 'abort' || (error as NodeError).code === 'E_PLUGIN_UNKNOWN') throw failure
      return { ...about, state: 'failed', reason: failure.message }
    }
  }

  function take(plugin: Plugin, from: string, keys: readonly string[]): Loaded {
    const names = [...new Set([plugin.name, ...keys])]
    return { plugin, from, keys: names, settings: checkSettings(plugin, names, configuration, where) }
  }
}

const named = (name: string, status: Status, from: string) => ({ name, status, about: '', from, paths: [], services: [] })

function refuseTwins(loaded: readonly Loaded[]) {
  const seen = new Map<string, Loaded>()
  for (const one of loaded) {
    const other = seen.get(one.plugin.name)
    if (other !== undefined) throw hostErrors.E_PLUGIN_NAME_TAKEN(one.plugin.name, other.from, one.from)
    seen.set(one.plugin.name, one)
  }
}

function checkSettings(plugin: Plugin, keys: readonly string[], configuration: HostConfiguration, where: string): unknown {
  const key = keys.find(k => configuration.plugins?.[k] !== undefined) ?? plugin.name
  const given = configuration.plugins?.[key]
  const block = typeof given === 'object' ? given : undefined
  if (plugin.settings === undefined) {
    if (block !== undefined && Object.keys(block).length > 0) throw hostErrors.E_PLUGIN_NO_SETTINGS(plugin.name, `${where}: plugins.${key}`)
    return undefined
  }
  const result = plugin.settings.safeParse(block ?? {})
  if (result.success) return result.data
  const issues = result.error.issues.map(issue => {
    const path = issue.path.map(String).join('.')
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map(k => didYouMean(k, settingNames(plugin))).join('') : ''
    return `${path === '' ? '' : `${path}: `}${issue.message}${names}`
  })
  throw hostErrors.E_PLUGIN_SETTINGS(plugin.name, `${where}: plugins.${key}`, issues.join('; '))
}

function settingNames(plugin: Plugin): string[] {
  const shape = (plugin.settings as { shape?: object } | undefined)?.shape
  return shape === undefined ? [] : Object.keys(shape)
}

/** A third party's module: where it is, and the api range found without running it. */
export interface Found {
  readonly from: string
  readonly module: string
  /** The file, or the folder of the package. */
  readonly place: string
  readonly range: string | undefined
  /** The file that has to name the range. */
  readonly declaredIn: string
}

/** Where a key of the configuration leads: a file, or a package. Nothing of it is run. */
export async function findPlugin(key: string, base: string): Promise<Found | undefined> {
  if (key.startsWith('.') || isAbsolute(key)) return fileAt(resolve(base, key))
  for (const name of key.startsWith('@') || key.includes('holdfast-plugin-') ? [key] : [`holdfast-plugin-${key}`, key]) {
    const found = await findPackage(name, base)
    if (found !== undefined) return found
  }
  return undefined
}

/** A file has no manifest of its own, so its text is searched for the `api:` of its declaration. */
export async function fileAt(file: string): Promise<Found | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return { from: file, module: file, place: file, range: /\bapi\s*:\s*['"`]([^'"`]+)['"`]/.exec(text)?.[1], declaredIn: file }
}

async function findPackage(name: string, base: string): Promise<Found | undefined> {
  for (let folder = resolve(base); ; folder = dirname(folder)) {
    const found = await packageAt(join(folder, 'node_modules', name), name)
    if (found !== undefined) return found
    if (folder === dirname(folder)) return undefined
  }
}

/** The package in a folder; undefined when the folder holds none. */
export async function packageAt(root: string, name: string): Promise<Found | undefined> {
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

async function importChecked(name: string, { from, module, range, declaredIn }: Found): Promise<Plugin> {
  if (range === undefined) throw hostErrors.E_PLUGIN_API_MISSING(name, from, declaredIn)
  await checkApi(name, from, range)
  refuseForeign(name, [declaredIn, module])
  const imported = (await import(pathToFileURL(module).href)) as { default?: unknown }
  const plugin = imported.default
  if (!isPlugin(plugin)) throw hostErrors.E_PLUGIN_EXPORT(name, from)
  await checkApi(plugin.name, from, plugin.api)
  // made by a copy of this package that may be older
  return { ...made({ name: plugin.name, api: plugin.api, about: '' }), ...plugin }
}

/** Refuses code that others than this user decide over. Modules that it imports itself are left to Node. @throws E_PLUGIN_FOREIGN */
function refuseForeign(name: string, files: readonly string[]): void {
  for (const file of new Set(files)) {
    const fault = foreignFault(file)
    if (fault !== undefined) throw hostErrors.E_PLUGIN_FOREIGN(name, fault.message)
  }
}

async function checkApi(name: string, from: string, range: string) {
  const { default: semver } = await import('semver')
  if (!semver.satisfies(API_VERSION, range)) throw hostErrors.E_PLUGIN_API(name, from, range, API_VERSION)
}

export function isPlugin(value: unknown): value is Plugin {
  const plugin = value as Partial<Plugin> | undefined
  return (
    typeof plugin?.name === 'string' && typeof plugin.api === 'string' && Array.isArray(plugin.commands) && Array.isArray(plugin.provides)
  )
}

/** All commands that loaded plugins declare, by path. */
export function declarers(loaded: readonly Loaded[]): Map<string, Array<{ plugin: Plugin; command: Command }>> {
  const byPath = new Map<string, Array<{ plugin: Plugin; command: Command }>>()
  for (const { plugin } of loaded) {
    for (const command of plugin.commands) byPath.set(command.path, [...(byPath.get(command.path) ?? []), { plugin, command }])
  }
  return byPath
}
