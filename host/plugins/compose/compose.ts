import type { HostConfiguration } from '../../configuration.ts'
import { refuseAmbiguousRoutes, strayRoutes } from '../../http/routes/declared.ts'
import type { Plugins } from '../load/load.ts'
import { chooseCommands } from './choose-commands.ts'
import type { Composition } from './composition.ts'
import { refuseSharedListeners } from './declarations.ts'
import { refuseLoops } from './loops.ts'
import { requireProviders } from './needs.ts'
import { withWhatCanBe } from './only-with.ts'
import { orderPlugins } from './order.ts'
import { chooseProviders, type HostServices } from './providers.ts'

/** Decides everything that can be decided before a line of a plugin's services runs. Throws what a person has to mend. */
export function compose(
  { loaded: all, notLoaded }: Plugins,
  configuration: HostConfiguration,
  where: string,
  hostServices: HostServices
): Composition {
  const loaded = withWhatCanBe(all, hostServices)
  const { providers, lost } = chooseProviders({ loaded, notLoaded }, configuration, where, hostServices)
  const { commands, off, doubts } = chooseCommands(loaded, notLoaded, configuration, where)
  requireProviders({ loaded, commands, notLoaded, providers, lost, configuration })
  refuseLoops(loaded, providers)
  const order = orderPlugins(loaded, providers)
  const plugins = order.map(({ plugin }) => plugin)
  refuseSharedListeners(plugins)
  refuseAmbiguousRoutes(plugins)
  return { order, providers, commands, off, notLoaded, lost, doubts: [...doubts, ...strayRoutes(plugins)] }
}
