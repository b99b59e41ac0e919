import { z } from 'zod'
import { command, Network, optional, type Reachability, value } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

const addresses = z.array(z.string())

const reply = z.object({
  Reachability: z.enum(['public', 'relayed', 'private', 'unknown']),
  Reachable: addresses.describe('Addresses that peers have dialled.'),
  Relayed: addresses.describe('Addresses on relays under which the node is reached.'),
  Unreachable: addresses.describe('Addresses that peers could not dial.'),
  Unknown: addresses.describe('Public addresses that no peer has tried yet.'),
  Peers: z.int().describe('Peers that are connected, of which some tell.'),
  About: z.string().describe('The same in a sentence.'),
  Remedy: z.string().optional().describe('What to do, where something should be done.')
})

type Reply = z.input<typeof reply>

export const reachability = command.read('swarm/reachability', {
  help: 'Say whether peers beyond the own network reach this node, by which addresses, and what to do where they do not.',
  examples: [{ title: 'Find out why nobody fetches from this node', args: 'swarm reachability' }],
  needs: { network: optional(Network) },
  reply: value(reply),
  text({ About, Remedy, ...lists }) {
    const shown = (['Reachable', 'Relayed', 'Unreachable', 'Unknown'] as const).flatMap(name =>
      lists[name].length === 0 ? [] : [`${HEADS[name]}:\n`, ...lists[name].map(address => `  ${address}\n`)]
    )
    return [`${About}\n`, ...shown, ...(Remedy === undefined ? [] : [`${Remedy}\n`])].join('')
  },
  run({ network }) {
    const online = onlineForCommand(network)
    const peers = new Set(online.connections().map(({ peer }) => peer)).size
    const relayed = online.announced().filter(address => address.includes('/p2p-circuit'))
    return reachabilityReport(online.reachability(), relayed, peers)
  }
})

const HEADS = {
  Reachable: 'Reached at',
  Relayed: 'Reached over relays at',
  Unreachable: 'Not reached at',
  Unknown: 'Not tried yet'
} as const

const FORWARD = 'Have the router hand the ports of Addresses.Swarm on to this machine (UPnP does it where Swarm.DisableNatPortMap is false)'
const RELAYS = 'or take a place on relays: Swarm.RelayClient.StaticRelays, or Swarm.RelayClient.Enabled true'

/**
 * What is known about being reached, in words.
 *
 * @param relayed - addresses on relays that peers are told
 * @param peers - how many are connected
 */
export function reachabilityReport(found: Reachability, relayed: readonly string[], peers: number): Reply {
  const lists = {
    Reachable: [...found.reachable],
    Relayed: [...relayed],
    Unreachable: [...found.unreachable],
    Unknown: [...found.unknown],
    Peers: peers
  }
  if (found.forced === 'public')
    return { ...lists, Reachability: 'public', About: 'It is taken to be reached, as Internal.Libp2pForceReachability says.' }
  if (found.forced === 'private') {
    const About = 'It is taken not to be reached, as Internal.Libp2pForceReachability says.'
    return { ...lists, Reachability: 'private', About, Remedy: 'Remove Internal.Libp2pForceReachability to have peers find out.' }
  }
  if (found.reachable.length > 0) return { ...lists, Reachability: 'public', About: 'Peers reach the node from beyond its network.' }
  if (relayed.length > 0) {
    const About = 'Peers reach the node over relays, which carry little, and directly where a hole can be punched.'
    return { ...lists, Reachability: 'relayed', About, Remedy: `${FORWARD} to be reached directly.` }
  }
  if (found.unreachable.length > 0 && found.unknown.length === 0)
    return {
      ...lists,
      Reachability: 'private',
      About: 'Peers do not reach the node from beyond its network.',
      Remedy: `${FORWARD}, ${RELAYS}.`
    }
  if (peers === 0) {
    const Remedy = 'Connect with some: holdfast swarm connect ADDRESS, holdfast bootstrap add ADDRESS.'
    return { ...lists, Reachability: 'unknown', About: 'Nobody is connected who could tell whether the node is reached.', Remedy }
  }
  if (found.unknown.length + found.unreachable.length > 0)
    return {
      ...lists,
      Reachability: 'unknown',
      About: 'No peer has told yet whether it reaches the node. It may take minutes, and four peers.'
    }
  const About = 'The node knows of no public address of its own: no peer and no router has told it one.'
  return { ...lists, Reachability: 'unknown', About, Remedy: `Wait for more peers. If this stays: ${FORWARD}, ${RELAYS}.` }
}
