import type { Composition } from '../plugins/compose/composition.ts'
import type { StartedPlugins } from '../plugins/start.ts'
import type { HostCalls } from './calls.ts'

/** Opens the commands of plugins that have started. One whose plugin failed, or whose needs failed, stays away and says why. */
export function openCommands(calls: HostCalls, { commands, off, notLoaded }: Composition, started: StartedPlugins): void {
  for (const { command, plugin } of commands) {
    const { path, needs } = command
    const pluginServices = started.pluginServices(plugin.name)
    // told among the commands there are; the host is for another one
    if (started.isSpared(plugin.name)) {
      calls.add(command, plugin.name, new Map())
      continue
    }
    if (pluginServices === undefined) {
      calls.switchOff({ path, reason: `its plugin '${plugin.name}' failed: ${started.states.get(plugin.name)?.reason}` })
      continue
    }
    const missing = started.missing(Object.values(needs), pluginServices)
    if (missing === undefined) calls.add(command, plugin.name, pluginServices)
    else calls.switchOff({ path, reason: `it needs the service '${missing}', which nobody provides${started.whyAbsent(missing)}` })
  }
  const unasked = notLoaded.filter(({ isOffByDefault }) => isOffByDefault)
  for (const [path, reason] of off) {
    const isDefault = unasked.some(one => one.reason === reason && one.paths.includes(path))
    calls.switchOff({ path, reason, ...(isDefault && { isDefault }) })
  }
}
