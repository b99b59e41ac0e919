import { type Command, type PluginState, tokenName } from '../../core/index.ts'
import type { Composition } from './compose/composition.ts'
import type { Plugins } from './load/load.ts'

/** The state of one plugin. */
export interface State {
  readonly state: PluginState['state']
  readonly reason?: string
  readonly startedAt?: Date
  readonly startTime?: number
}

/** The states of all plugins of a host. */
export function pluginStates(
  { loaded, notLoaded }: Plugins,
  states: ReadonlyMap<string, State>,
  { providers, commands }: Pick<Composition, 'providers' | 'commands'>,
  answering: readonly Command[]
): PluginState[] {
  const open = new Set(answering)
  return [
    ...loaded.map(({ plugin, from }) => ({
      name: plugin.name,
      status: plugin.status,
      about: plugin.about,
      from,
      state: 'loaded' as const,
      ...states.get(plugin.name),
      commands: commands.filter(one => one.plugin.name === plugin.name && open.has(one.command)).map(({ command }) => command.path),
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
