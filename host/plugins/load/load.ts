import { realpath } from 'node:fs/promises'
import { didYouMean } from '../../../config/host/suggest.ts'
import { messageOf, type NodeError, type NodeKeys, type Plugin, type Status } from '../../../core/index.ts'
import type { CatalogueEntry } from '../../../plugins/catalogue.ts'
import { type HostConfiguration, onFailureOf } from '../../configuration.ts'
import { hostErrors } from '../../errors.ts'
import { placeOf } from './culprit.ts'
import { findPlugin } from './find.ts'
import { importChecked } from './import.ts'
import { checkSettings } from './settings.ts'
import { decidePlugin, isStatus, offlineReason, type PeerOptions } from './toggles.ts'

/** A plugin that is to run on this host. */
export interface LoadedPlugin {
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
  /** Whether it is off because nobody switched it on. */
  readonly isOffByDefault?: boolean
  readonly paths: readonly string[]
  readonly services: readonly string[]
  readonly nodeKeys?: NodeKeys
}

/** Failed before it was known what they are called, provide and declare. */
export const failedUnread = (notLoaded: readonly NotLoaded[]): NotLoaded[] =>
  notLoaded.filter(({ state, from }) => state === 'failed' && from !== 'built-in')

/** Whether a plugin that the configuration names by this key failed, or may be one that failed before it told its name. */
export function mayHaveFailed(key: string, { loaded, notLoaded }: Plugins): boolean {
  if (loaded.some(({ keys }) => keys.includes(key))) return false
  const absent = notLoaded.find(({ name }) => name === key)
  return absent === undefined ? failedUnread(notLoaded).length > 0 : absent.state === 'failed'
}

/** Why nothing can come from the plugin of this key; undefined for one that runs. */
export function whyAbsent(key: string, { loaded, notLoaded }: Plugins): string | undefined {
  if (loaded.some(({ keys }) => keys.includes(key))) return undefined
  const absent = notLoaded.find(({ name }) => name === key)
  if (absent !== undefined) return `it ${absent.state === 'off' ? 'is off' : 'failed'} (${absent.reason})`
  const known = [...loaded.flatMap(({ keys }) => keys), ...notLoaded.map(({ name }) => name)]
  return `no plugin of that name is on${didYouMean(key, known)}`
}

/** All that a configuration speaks of. */
export interface Plugins {
  readonly loaded: readonly LoadedPlugin[]
  readonly notLoaded: readonly NotLoaded[]
}

export interface LoadOptions extends PeerOptions {
  readonly catalogue: readonly CatalogueEntry[]
  readonly configuration: HostConfiguration
  /** How messages call the configuration: its file, or `the configuration`. */
  readonly where: string
  /** The folder that files and packages are found from. */
  readonly base: string
  /** Names of built-ins that are not in the catalogue handed over, to guess which was meant. */
  readonly builtIns?: readonly string[]
  /** Plugins handed over as values. */
  readonly given?: readonly Plugin[]
  /** How long the import of one may take, in milliseconds. */
  readonly patience?: number | undefined
}

/** Finds, checks and imports what the configuration wants. What is off is never imported; nor is code written for another api. */
export async function loadPlugins(options: LoadOptions): Promise<Plugins> {
  const { catalogue, configuration, where, base, offline, joins, builtIns = [], given = [] } = options
  const loaded: LoadedPlugin[] = []
  const notLoaded: NotLoaded[] = []

  const jobs = catalogue.map(async (entry): Promise<LoadedPlugin | NotLoaded> => {
    const about = {
      name: entry.name,
      status: entry.status,
      about: entry.about,
      from: 'built-in',
      paths: entry.paths,
      services: entry.services,
      ...(entry.nodeKeys === undefined ? {} : { nodeKeys: entry.nodeKeys })
    }
    const { on, reason, isDefault } = decidePlugin(entry, configuration, where, { offline, joins })
    if (!on) return { ...about, state: 'off' as const, reason, isOffByDefault: isDefault }
    return attempt(about, async () => take((await entry.load()).default, 'built-in', [entry.name]))
  })
  for (const plugin of given)
    jobs.push(
      attempt(named(plugin.name, plugin.status, 'given'), async () =>
        plugin.online && offline !== undefined
          ? { ...named(plugin.name, plugin.status, 'given'), state: 'off' as const, reason: offlineReason(offline) }
          : take(plugin, 'given', [plugin.name])
      )
    )
  for (const key of Object.keys(configuration.plugins ?? {})) {
    if (isStatus(key) || catalogue.some(entry => entry.name === key) || given.some(plugin => plugin.name === key)) continue
    const about = named(key, 'regular', key)
    jobs.push(
      attempt(about, async () => {
        const found = await findPlugin(key, base)
        if (found === undefined) {
          const known = [...catalogue.map(entry => entry.name), ...builtIns, 'newer', 'experimental', 'deprecated', 'removed']
          throw hostErrors.E_PLUGIN_UNKNOWN(key, where, didYouMean(key, known))
        }
        const { on, reason } = decidePlugin({ name: key, status: 'regular' }, configuration, where)
        if (!on) return { ...about, state: 'off' as const, reason }
        const imported = await importChecked(key, found, options.patience)
        if (imported.online && offline !== undefined) return { ...about, state: 'off' as const, reason: offlineReason(offline) }
        return { ...take(imported, found.from, [key]), place: await realpath(found.place).catch(() => found.place) }
      })
    )
  }
  for (const result of await Promise.all(jobs)) {
    if ('plugin' in result) loaded.push(result)
    else notLoaded.push(result)
  }
  refuseTwins(loaded)
  refuseUnknownFailures([...loaded.flatMap(({ keys }) => keys), ...notLoaded.map(({ name }) => name)])
  return { loaded, notLoaded }

  /** A misspelt line would leave the plugin that was meant as it is. */
  function refuseUnknownFailures(known: readonly string[]): void {
    const { onFailure = {} } = configuration
    for (const key of typeof onFailure === 'string' ? [] : Object.keys(onFailure)) {
      if (key !== 'default' && !known.includes(key)) throw hostErrors.E_FAILURE_UNKNOWN(key, where, didYouMean(key, [...known, 'default']))
    }
  }

  async function attempt(
    about: Omit<NotLoaded, 'state' | 'reason'>,
    load: () => Promise<LoadedPlugin | NotLoaded>
  ): Promise<LoadedPlugin | NotLoaded> {
    try {
      return await load()
    } catch (error) {
      const known = (error as Partial<NodeError>).code?.startsWith?.('E_PLUGIN') === true
      const failure = known ? (error as Error) : hostErrors.E_PLUGIN_IMPORT(about.name, about.from, messageOf(error) + placeOf(error))
      if (onFailureOf(configuration, about.name) === 'abort' || (error as NodeError).code === 'E_PLUGIN_UNKNOWN') throw failure
      return { ...about, state: 'failed', reason: failure.message }
    }
  }

  function take(plugin: Plugin, from: string, keys: readonly string[]): LoadedPlugin {
    const names = [...new Set([plugin.name, ...keys])]
    return { plugin, from, keys: names, settings: checkSettings(plugin, names, configuration, where) }
  }
}

const named = (name: string, status: Status, from: string) => ({ name, status, about: '', from, paths: [], services: [] })

function refuseTwins(loaded: readonly LoadedPlugin[]) {
  const seen = new Map<string, LoadedPlugin>()
  for (const one of loaded) {
    const other = seen.get(one.plugin.name)
    if (other !== undefined) throw hostErrors.E_PLUGIN_NAME_TAKEN(one.plugin.name, other.from, one.from)
    seen.set(one.plugin.name, one)
  }
}
