import type { LoadedPlugin, NotLoaded } from '../load/load.ts'
import { type CommandChoice } from './choose-commands.ts'
import { type Providers } from './providers.ts'

/** The composition: the providers of services, the order in which plugins start, and the plugin whose command answers. */
export interface Composition {
  /** Plugins in the order of their start. */
  readonly order: readonly LoadedPlugin[]
  readonly providers: Providers
  readonly commands: readonly CommandChoice[]
  /** Paths that are declared but off, and the setting that decided. */
  readonly off: ReadonlyMap<string, string>
  readonly notLoaded: readonly NotLoaded[]
  /** Services that nobody makes as the plugin named for them failed, and why. */
  readonly lost: ReadonlyMap<string, string>
  /** Likely mistakes in the configuration, in one line each. */
  readonly doubts: readonly string[]
}
