import type { AnyProvision, Command, LogLevel, Plugin, RepoLocation } from '../core/index.ts'
import type { CatalogueEntry } from '../plugins/catalogue.ts'
import type { HostConfiguration } from './configuration.ts'
import type { LogOptions } from './logs/logs.ts'
import type { PeerOptions } from './plugins/load/toggles.ts'

/** The parts of a host. */
export interface HostOptions extends PeerOptions {
  /** The plugins to load and their settings; see `holdfast.config.*`. */
  readonly configuration?: HostConfiguration
  /** The file the configuration was read from, for messages. */
  readonly configurationFile?: string
  /** The folder that plugin files and packages are found from. Default: the configuration file's, else the working directory. */
  readonly base?: string
  /** Where the repo is and whether to make it. Without one, everything is kept in memory. */
  readonly repo?: RepoLocation
  /** Plugins handed over as values, beside those of the configuration. */
  readonly plugins?: readonly Plugin[]
  /** Services handed over as values; each takes the place of whoever would provide it. For tests. */
  readonly services?: readonly AnyProvision[]
  readonly logLevel?: LogLevel
  /** The log beside its level: what single subsystems write, in which form, and where to. */
  readonly log?: LogOptions
  /** The one command that this host is for: plugins of third parties that have no part in it are not started. Default: it is for all. */
  readonly command?: Command | undefined
  /** Built-ins to choose from. Default: all that ship. */
  readonly catalogue?: readonly CatalogueEntry[]
  /** How long one plugin's import, and the start or stop of a service without progress, may take, in milliseconds. Default 10,000. */
  readonly patience?: number
}
