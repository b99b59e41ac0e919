import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { type Command, Host, Logs, type Need, tokenName, tokenOf } from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import type { LoadedPlugin } from '../load/load.ts'
import type { Composition } from './composition.ts'
import { needsAround } from './needs.ts'

/** Services that are there whatever starts, and that nobody changes. */
const OF_THE_HOST: ReadonlySet<string> = new Set([Host, Logs, ...OF_EVERY_PLUGIN].map(one => tokenName(one)))

/**
 * Tells which plugins a host that is there for one command has to start. All built-in ones; of others the command's own; those with hooks, which may
 * be there to guard; those that provide what the command, or a plugin that starts, needs; and those that need what the command works with, as they may add to it.
 */
export function hasPartIn(
  command: Command,
  { order, commands, providers }: Pick<Composition, 'order' | 'commands' | 'providers'>
): (one: LoadedPlugin) => boolean {
  const byName = new Map(order.map(one => [one.plugin.name, one]))
  const makers = (service: string) => (providers.get(service) ?? []).flatMap(name => byName.get(name) ?? [])
  const worked = new Set<string>()
  const reach = (need: Need) => {
    const service = nameOf(need)
    if (OF_THE_HOST.has(service) || worked.has(service)) return
    worked.add(service)
    for (const { plugin } of makers(service)) plugin.requires.forEach(reach)
  }
  Object.values(command.needs).forEach(reach)
  const owner = commands.find(one => one.command.path === command.path)?.plugin.name
  const starting = new Set<LoadedPlugin>()
  const start = (one: LoadedPlugin) => {
    if (starting.has(one)) return
    starting.add(one)
    for (const need of [...one.plugin.requires, ...needsAround(one.plugin)]) makers(nameOf(need)).forEach(start)
  }
  for (const service of worked) makers(service).forEach(start)
  for (const one of order) {
    const { plugin, from } = one
    const adds = plugin.requires.some(need => worked.has(nameOf(need)))
    if (from === 'built-in' || plugin.name === owner || plugin.around.length > 0 || adds) start(one)
  }
  return one => starting.has(one)
}

/** The name of a service, also where it is the one that is wrapped. */
function nameOf(need: Need): string {
  const of = tokenOf(need)
  return innerName(of) ?? tokenName(of)
}
