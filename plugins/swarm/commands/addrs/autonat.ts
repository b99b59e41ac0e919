import { z } from 'zod'
import { command, Network, optional, type Reachability, value } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'

const addresses = z.array(z.string()).optional()

const reply = z.object({
  reachability: z.enum(['Public', 'Private', 'Unknown']),
  reachable: addresses.describe('Addresses that peers have dialled.'),
  unreachable: addresses.describe('Addresses that peers could not dial.'),
  unknown: addresses.describe('Addresses that no peer has tried yet.')
})

type Reply = z.input<typeof reply>

export const addrsAutonat = command.read('swarm/addrs/autonat', {
  status: 'newer',
  help: 'Show whether peers beyond the own network can reach this node, and by which addresses.',
  examples: [{ title: 'See whether this node can be reached', args: 'swarm addrs autonat' }],
  needs: { network: optional(Network) },
  reply: value(reply),
  text: autonatText,
  run({ network }) {
    const found = onlineForCommand(network).reachability()
    const { reachable, unreachable, unknown } = found
    return {
      reachability: summary(found),
      ...(reachable.length > 0 && { reachable: [...reachable] }),
      ...(unreachable.length > 0 && { unreachable: [...unreachable] }),
      ...(unknown.length > 0 && { unknown: [...unknown] })
    }
  }
})

function summary({ reachable, unreachable, unknown, forced }: Reachability): Reply['reachability'] {
  if (forced !== undefined) return forced === 'public' ? 'Public' : 'Private'
  if (reachable.length > 0) return 'Public'
  return unreachable.length > 0 && unknown.length === 0 ? 'Private' : 'Unknown'
}

function autonatText({ reachability, ...lists }: Reply): string {
  const parts = Object.entries(lists).flatMap(([name, list = []]) => [
    `  ${name[0]!.toUpperCase()}${name.slice(1)}:\n`,
    ...list.map(address => `    ${address}\n`)
  ])
  const all = parts.length === 0 ? '  (no address reachability data available)\n' : parts.join('')
  return `AutoNAT V2 Status:\n  Reachability: ${reachability}\n\nPer-Address Reachability:\n${all}`
}
