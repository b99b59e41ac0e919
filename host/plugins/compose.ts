import type { HostConfiguration } from '../configuration.ts'
import { refuseAmbiguousRoutes, strayRoutes } from '../http/routes/declared.ts'
import { type CommandChoice, chooseCommands } from './choose-commands.ts'
import { refuseSharedListeners } from './declarations.ts'
import type { Loaded, NotLoaded, Plugins } from './load.ts'
import { refuseLoops } from './loops.ts'
import { requireProviders } from './needs.ts'
import { withWhatCanBe } from './only-with.ts'
import { orderPlugins } from './order.ts'
import { chooseProviders, type Own, type Providers } from './providers.ts'

/** Who provides what, in which order plugins start, and which command of whom answers. */
export interface Composition {
  /** Plugins in the order of their start. */
  readonly order: readonly Loaded[]
  readonly providers: Providers
  readonly commands: readonly CommandChoice[]
  /** Paths that are declared but off, and the setting that decided. */
  readonly off: ReadonlyMap<string, string>
  readonly notLoaded: readonly NotLoaded[]
  /** Services that nobody makes as the plugin named for them failed, and why. */
  readonly lost: ReadonlyMap<string, string>
  /** What may be a mistake in the configuration, in one line each. */
  readonly doubts: readonly string[]
}

/** Decides everything that can be decided before a line of a plugin's services runs. Throws what a person has to mend. */
export function compose({ loaded: all, notLoaded }: Plugins, configuration: HostConfiguration, where: string, own: Own): Composition {
  const loaded = withWhatCanBe(all, own)
  const { providers, lost } = chooseProviders({ loaded, notLoaded }, configuration, where, own)
  const { commands, off, doubts } = chooseCommands(loaded, notLoaded, configuration, where)
  requireProviders({ loaded, commands, notLoaded, providers, lost, configuration })
  refuseLoops(loaded, providers)
  const order = orderPlugins(loaded, providers)
  const plugins = order.map(({ plugin }) => plugin)
  refuseSharedListeners(plugins)
  refuseAmbiguousRoutes(plugins)
  return { order, providers, commands, off, notLoaded, lost, doubts: [...doubts, ...strayRoutes(plugins)] }
}
