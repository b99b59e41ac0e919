import { z } from 'zod'
import { formatDuration } from '../../../core/go/duration.ts'
import { command, Network, optional, type PeerConnection, p, value } from '../../../core/index.ts'
import { onlineForAction, peerView } from '../../../core/network/index.ts'

const identity = z.object({
  ID: z.string(),
  PublicKey: z.string(),
  Addresses: z.array(z.string()).nullable(),
  AgentVersion: z.string(),
  Protocols: z.array(z.string()).nullable()
})

const peer = z.object({
  Addr: z.string(),
  Peer: z.string(),
  Latency: z.string().optional(),
  Direction: z.int().optional().describe('1: the peer opened it, 2: this node did.'),
  Streams: z.array(z.object({ Protocol: z.string() })).optional(),
  Identify: identity
})

const UNKNOWN: z.input<typeof identity> = { ID: '', PublicKey: '', Addresses: null, AgentVersion: '', Protocols: null }

/** Directions of connections on the wire (go-libp2p 0.33, core/network). */
const DIRECTIONS = { inbound: 1, outbound: 2 } as const

export const peers = command.read('swarm/peers', {
  help: 'List the peers that this node is connected with.',
  examples: [{ title: 'With everything that is known of them', args: 'swarm peers --verbose' }],
  needs: { network: optional(Network) },
  options: {
    verbose: p.bool('Show all there is.').alias('v'),
    streams: p.bool('Show the protocols of open streams.'),
    latency: p.bool('Show the round trip to each peer, where it was measured.'),
    direction: p.bool('Show who opened each connection.'),
    identify: p.bool('Show what each peer says of itself.')
  },
  reply: value(z.object({ Peers: z.array(peer).nullable() })),
  xml: 'connInfos',
  text: ({ Peers }) => (Peers ?? []).map(lines).join(''),
  async run({ network }, { options }) {
    const online = onlineForAction(network, options)
    const { verbose = false } = options
    const show = {
      latency: options.latency ?? verbose,
      direction: options.direction ?? verbose,
      streams: options.streams ?? verbose,
      identify: options.identify ?? verbose
    }
    const found = [...online.connections()].sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0))
    const Peers = await Promise.all(found.map(connection => entry(online, connection, show)))
    return { Peers: Peers.length > 0 ? Peers : null }
  }
})

type Shown = Readonly<Record<'latency' | 'direction' | 'streams' | 'identify', boolean>>

async function entry(network: Network, connection: PeerConnection, show: Shown): Promise<z.input<typeof peer>> {
  const { peer: id, address, direction } = connection
  const protocols = show.streams ? [...connection.protocols()].sort() : []
  const known = show.identify ? await network.peer(id) : undefined
  return {
    Addr: address,
    Peer: id,
    Latency: show.latency ? latencyText(network.latency(id)) : undefined,
    Direction: show.direction ? DIRECTIONS[direction] : undefined,
    Streams: protocols.length > 0 ? protocols.map(Protocol => ({ Protocol })) : undefined,
    Identify: known === undefined ? UNKNOWN : peerView(known)
  }
}

const latencyText = (milliseconds: number | undefined) =>
  milliseconds === undefined ? 'n/a' : formatDuration(BigInt(Math.round(milliseconds * 1e6)))

function lines({ Addr, Peer, Latency, Direction, Streams = [] }: z.input<typeof peer>): string {
  const direction = Direction === DIRECTIONS.inbound ? ' inbound' : Direction === DIRECTIONS.outbound ? ' outbound' : ''
  const head = `${Addr}/p2p/${Peer}${Latency === undefined ? '' : ` ${Latency}`}${direction}\n`
  return head + Streams.map(({ Protocol }) => `  ${Protocol === '' ? '<no protocol name>' : Protocol}\n`).join('')
}
