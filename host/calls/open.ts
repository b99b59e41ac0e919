import type { Composition } from '../plugins/compose.ts'
import type { StartedPlugins } from '../plugins/start.ts'
import type { HostCalls } from './calls.ts'

/** Opens the commands of plugins that have started. One whose plugin failed, or whose needs failed, stays away and says why. */
export function openCommands(calls: HostCalls, { commands, off }: Composition, started: StartedPlugins): void {
  for (const { command, plugin } of commands) {
    const { path, needs } = command
    const own = started.own(plugin.name)
    if (own === undefined) {
      calls.switchOff(path, `its plugin '${plugin.name}' failed: ${started.states.get(plugin.name)?.reason}`)
      continue
    }
    const missing = started.missing(Object.values(needs), own)
    if (missing === undefined) calls.add(command, plugin.name, own)
    else calls.switchOff(path, `it needs the service '${missing}', which nobody provides${started.whyAbsent(missing)}`)
  }
  for (const [path, reason] of off) calls.switchOff(path, reason)
}
