import { messageOf } from '../../../core/errors.ts'
import type { Invocation } from '../line/invocation.ts'
import { hostFor } from '../node/compose.ts'
import { hindrances } from '../node/wholeness.ts'
import { type Finding, ok, warning, wrong } from './finding.ts'

const MEND = 'Mend what it says, or switch the plugin off in the configuration.'

/** Whether the plugins start and stop, without peers and listeners, and whether what the node keeps is there. */
export async function lookAtStart({
  globals,
  commands,
  terminal
}: Pick<Invocation, 'globals' | 'commands' | 'terminal'>): Promise<Finding[]> {
  const host = await hostFor(globals, commands.loaded, { offline: 'holdfast doctor', log: { level: 'silent' } })
  const found: Finding[] = []
  try {
    await host.start()
    const failed = host.plugins().filter(({ state }) => state === 'failed')
    for (const { name, reason } of failed) found.push(warning('plugins', `the plugin '${name}' does not start: ${reason}`, MEND))
    if (failed.length === 0) found.push(ok('plugins', 'all of them start'))
    const hindering = await hindrances(host, terminal.interrupts())
    if (hindering.length === 0) found.push(ok('kept', 'what tells what is kept is there'))
    for (const { about, remedy } of hindering) found.push(wrong('kept', about, remedy))
  } catch (error) {
    found.push(wrong('plugins', error, MEND))
  }
  for (const error of await host.stop()) found.push(warning('plugins', messageOf(error), MEND))
  return found
}
