import type { PluginState } from '../../../core/index.ts'
import { createHost } from '../../create.ts'
import { withLinesEscaped } from '../../printable.ts'
import { peersOfDaemon } from '../configuration/environment.ts'
import type { ProgramCall } from '../programs/program.ts'
import { remoteOf } from '../run/ask.ts'

/** Shows the plugin tree: of the running node where there is one, else of the host that the configuration makes. */
export async function plugins(call: ProgramCall, { json }: { json: boolean }): Promise<number> {
  const { stdout } = call.terminal
  const running = await fromNode(call)
  const states = running ?? (await wouldBe(call))
  if (json) stdout.write(`${JSON.stringify(states, null, 2)}\n`)
  else
    stdout.write(
      `${running === undefined ? 'No node is running; this is what would be loaded.\n\n' : ''}${draw(stdout.isTTY ? withLinesEscaped(states) : states)}`
    )
  return 0
}

/** @throws what keeps a node that was named from answering; one that left its address in the repo may be gone */
async function fromNode({ options, commands, terminal }: ProgramCall): Promise<readonly PluginState[] | undefined> {
  const remote = await remoteOf({ globals: options, commands, terminal })
  try {
    return (await remote?.node.get('/plugins', terminal.interrupts())) as readonly PluginState[] | undefined
  } catch (error) {
    if (remote?.named) throw error
    return undefined
  }
}

async function wouldBe({ commands: { loaded }, terminal: { env } }: ProgramCall): Promise<readonly PluginState[]> {
  const { configuration, file, folder } = loaded
  const peers = peersOfDaemon(undefined, env)
  const host = await createHost({ configuration, configurationFile: file, base: folder, repo: { path: undefined, init: {} }, ...peers })
  return host.plugins()
}

/** One plugin a paragraph: name, state, status, how long its start took; then what it brings, or why it is not there. */
export function draw(states: readonly PluginState[]): string {
  const lines: string[] = []
  for (const { name, state, status, about, from, reason, startTime, commands, services } of states) {
    const took = startTime === undefined ? '' : `, ${startTime.toFixed(0)} ms`
    lines.push(`${name}  ${state}  (${status}${from === 'built-in' ? '' : `, ${from}`}${took})${about === '' ? '' : `  ${about}`}`)
    if (reason !== undefined) lines.push(`  why: ${reason}`)
    if (services.length > 0) lines.push(`  provides: ${services.join(', ')}`)
    if (commands.length > 0) lines.push(`  commands: ${commands.join(', ')}`)
  }
  return `${lines.join('\n')}\n`
}
