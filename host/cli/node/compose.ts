import type { LoadedConfiguration } from '../../../config/host/load.ts'
import type { InitOptions, Json, LogLevel } from '../../../core/index.ts'
import { type HostConfiguration, toggled } from '../../configuration.ts'
import { createHost } from '../../create.ts'
import { type NodeHost } from '../../host.ts'
import type { LogOptions } from '../../logs/logs.ts'
import type { PeerOptions } from '../../plugins/load/toggles.ts'
import { folderOf } from '../configuration/repo-folder.ts'

export interface GlobalFlags {
  readonly repo?: string
  readonly repoDir?: string
  readonly config?: string
  readonly logLevel?: LogLevel
}

/** Settings by the name of their plugin. */
export type PluginSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface HostParts extends PeerOptions {
  readonly init?: InitOptions | undefined
  readonly log?: LogOptions
  /** Settings that flags of the command line stand for; they come before those of the configuration. */
  readonly settings?: PluginSettings
  /** Values of the node configuration for this run alone, by their keys. */
  readonly overrides?: Readonly<Record<string, Json>>
  /** Has the stores make what they keep anew, and tell of it. */
  readonly salvage?: (line: string, isLoss?: boolean) => void
}

/** A host as this command line, its environment and the configuration that counts want it. */
export async function hostFor(
  flags: GlobalFlags,
  loaded: LoadedConfiguration,
  { init, log, offline, joins, overrides, salvage, settings = {} }: HostParts = {}
): Promise<NodeHost> {
  const { configuration, file, folder } = loaded
  return createHost({
    configuration: { ...configuration, plugins: { ...configuration.plugins, ...laidUpon(configuration, settings) } },
    configurationFile: file,
    base: folder,
    repo: { path: folderOf(flags, loaded), init, overrides, ...(salvage && { salvage }) },
    offline,
    joins,
    logLevel: flags.logLevel,
    log
  })
}

/** The settings that flags stand for, laid upon those of the configuration file. A plugin that the file switches off gets none, and so stays off. */
function laidUpon({ plugins = {} }: HostConfiguration, settings: PluginSettings): PluginSettings {
  const on = Object.entries(settings).filter(([name]) => toggled(plugins[name]) !== false)
  return Object.fromEntries(
    on.map(([name, ofFlags]) => {
      const configured = plugins[name]
      return [name, { ...(typeof configured === 'object' ? configured : {}), ...ofFlags }]
    })
  )
}
