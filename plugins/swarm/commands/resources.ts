import { z } from 'zod'
import { command, NetworkLimits, optional, SCOPE_LIMITS, type Scope, type ScopeLimits, value } from '../../../core/index.ts'
import { swarmErrors } from '../errors.ts'

const limit = z.union([z.int(), z.string()])

type Shown = Record<string, string | number>

const scope: z.ZodType<Shown, Shown> = z.object(
  Object.fromEntries(SCOPE_LIMITS.flatMap(([wire]) => [[wire, limit] as const, [`${wire}Usage`, z.int()] as const]))
) as unknown as z.ZodType<Shown, Shown>

const scopes = z.record(z.string(), scope).optional()

export const resources = command.read('swarm/resources', {
  status: 'experimental',
  help: 'Show how much of the machine peers may take, and how much they do.',
  needs: { limits: optional(NetworkLimits) },
  reply: value(z.object({ System: scope, Transient: scope, Services: scopes, Protocols: scopes, Peers: scopes })),
  xml: 'ResourceLimitsAndUsage',
  text: ({ System, Transient, Services = {}, Protocols = {}, Peers = {} }) =>
    table([['system', System], ['transient', Transient], ...named('svc', Services), ...named('proto', Protocols), ...named('peer', Peers)]),
  run({ limits }) {
    if (limits === undefined || !limits.enabled) throw swarmErrors.E_SWARM_NO_LIMITS()
    return {
      System: shown(limits.system),
      Transient: shown(limits.transient),
      Services: all(limits.services),
      Protocols: all(limits.protocols),
      Peers: all(limits.peers)
    }
  }
})

function shown({ limits, isConfigured, usage }: Scope): Shown {
  const one = (name: keyof ScopeLimits) => {
    const most = limits[name]
    if (most === undefined) return isConfigured ? 'unlimited' : 'default'
    if (most === 0) return 'blockAll'
    return name === 'memory' ? String(most) : most
  }
  return Object.fromEntries(SCOPE_LIMITS.flatMap(([wire, name]) => [[wire, one(name)] as const, [`${wire}Usage`, usage[name]] as const]))
}

function all(found: ReadonlyMap<string, Scope>): Record<string, Shown> | undefined {
  if (found.size === 0) return undefined
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, shown(one)]))
}

const named = (kind: string, found: Readonly<Record<string, Shown>>) =>
  Object.entries(found).map(([name, one]) => [`${kind}:${name}`, one] as const)

function table(rows: ReadonlyArray<readonly [string, Shown]>): string {
  const head = ['Scope', 'Limit Name', 'Limit Value', 'Limit Usage Amount', 'Limit Usage Percent']
  const lines = rows.flatMap(([name, one]) =>
    SCOPE_LIMITS.filter(([wire]) => one[wire] !== 'unlimited' && one[wire] !== 'default').map(([wire]) => {
      const used = Number(one[`${wire}Usage`])
      return [name, wire, String(one[wire]), String(used), percent(used, Number(one[wire]))]
    })
  )
  const all = [head, ...lines]
  const widths = head.map((_, i) => Math.max(...all.map(line => line[i]!.length)) + 2)
  return all.map(line => `${line.map((cell, i) => (i === line.length - 1 ? cell : cell.padEnd(widths[i]!))).join('')}\n`).join('')
}

function percent(used: number, most: number): string {
  if (!(most > 0)) return 'n/a'
  return used === 0 ? '0%' : `${((used / most) * 100).toFixed(1)}%`
}
