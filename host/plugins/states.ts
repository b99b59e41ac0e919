import { type Command, type PluginState, tokenName } from '../../core/index.ts'
import type { Plugins } from './load.ts'
import type { Providers } from './providers.ts'

/** What became of one plugin. */
export interface State {
  readonly state: PluginState['state']
  readonly reason?: string
  readonly startedAt?: Date
  readonly startTime?: number
}

/** What is told of all plugins of a host. */
export function pluginStates(
  { loaded, notLoaded }: Plugins,
  states: ReadonlyMap<string, State>,
  providers: Providers,
  commands: readonly Command[]
): PluginState[] {
  const open = new Set(commands)
  return [
    ...loaded.map(({ plugin, from }) => ({
      name: plugin.name,
      status: plugin.status,
      about: plugin.about,
      from,
      state: 'loaded' as const,
      ...states.get(plugin.name),
      commands: plugin.commands.filter(command => open.has(command)).map(command => command.path),
      services: plugin.provides.map(({ token }) => tokenName(token)).filter(name => providers.get(name)?.includes(plugin.name))
    })),
    ...notLoaded.map(({ name, status, about, from, state, reason }) => ({
      name,
      status,
      about,
      from,
      state,
      reason,
      commands: [],
      services: []
    }))
  ]
}
