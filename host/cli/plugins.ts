import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginState } from '../../core/index.ts'
import { type GlobalFlags, hostFor, repoFolder } from './compose.ts'

/** Shows the plugin tree: of the running node where there is one, else of the host that the configuration makes. */
export async function plugins(flags: GlobalFlags & { json?: boolean }): Promise<number> {
  const running = await fromDaemon(flags)
  const states = running ?? (await hostFor(flags)).plugins()
  if (flags.json) process.stdout.write(`${JSON.stringify(states, null, 2)}\n`)
  else process.stdout.write(`${running === undefined ? 'No node is running; this is what would be loaded.\n\n' : ''}${draw(states)}`)
  return 0
}

async function fromDaemon(flags: GlobalFlags): Promise<readonly PluginState[] | undefined> {
  const address = await readFile(join(await repoFolder(flags), 'api'), 'utf8').catch(() => undefined)
  const [, host, port] = /^\/(?:ip4|ip6|dns4|dns)\/([^/]+)\/tcp\/(\d+)/.exec(address?.trim() ?? '') ?? []
  if (host === undefined) return undefined
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/plugins`
  const response = await fetch(url).catch(() => undefined)
  return response?.ok ? ((await response.json()) as readonly PluginState[]) : undefined
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
