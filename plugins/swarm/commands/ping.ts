import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { command, hasCode, messageOf, Network, type NetworkOptions, networkErrors, optional, p, stream } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { parseAddressOfPeer } from '../../../core/multiaddr/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { swarmErrors } from '../errors.ts'

/** How long the look-up of a peer may take, and the time from one ping to the next, in milliseconds (Kubo 0.28, core/commands/ping.go). */
const [LOOKUP, INTERVAL] = [10_000, 1_000]

const item = z.object({ Success: z.boolean(), Time: z.int().describe('Nanoseconds.'), Text: z.string() })

export const ping = command.read('ping', {
  help: 'Send small messages to a peer and show how long they take there and back.',
  examples: [{ title: 'Once', args: 'ping -n 1 12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG' }],
  needs: { network: optional(Network) },
  args: { peer: p.peerId('The peer, or its address ending in /p2p/ID.').raw().wire('peer ID').many().fromBody({ firstLine: true }) },
  options: { count: p.int('How many messages.').alias('n').default(10) },
  reply: stream(item),
  xml: 'PingResult',
  text: ({ Success, Time, Text }) => `${Text !== '' ? Text : Success ? `Pong received: time=${milliseconds(Time)} ms` : 'Pong failed'}\n`,
  async *run({ network }, { args, options, signal }) {
    const online = onlineForCommand(network)
    const { peer, addresses } = await target(args.peer[0] ?? '')
    if (peer === online.self) throw swarmErrors.E_PING_SELF()
    if (options.count <= 0) throw swarmErrors.E_PING_COUNT(options.count)
    if (online.connections(peer).length === 0 && addresses.length === 0 && !(await isKnown(online, peer))) {
      yield said(`Looking up peer ${peer}`)
      await lookUp(online, peer, { signal: AbortSignal.any([signal, AbortSignal.timeout(LOOKUP)]) }, signal)
    }
    yield said(`PING ${peer}.`)
    const times: number[] = []
    for (let sent = 0; sent < options.count; sent++) {
      const failure = await roundTrip(online, peer, addresses, times, signal)
      if (failure === undefined) yield { Success: true, Time: times.at(-1)!, Text: '' }
      else yield { Success: false, Time: 0, Text: `Ping error: ${failure}` }
      if (failure !== undefined && online.connections(peer).length === 0) break
      await wait(INTERVAL, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
    if (times.length === 0) throw swarmErrors.E_PING_FAILED()
    yield said(`Average latency: ${milliseconds(times.reduce((sum, time) => sum + time, 0) / times.length)}ms`)
  }
})

const said = (Text: string) => ({ Success: true, Time: 0, Text })

const milliseconds = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(2)

async function target(text: string): Promise<{ peer: string; addresses: string[] }> {
  try {
    if (!text.startsWith('/')) return { peer: peerIdString(parsePeerId(text)), addresses: [] }
    const { peer, transport } = await parseAddressOfPeer(text)
    return { peer, addresses: transport === '' ? [] : [transport] }
  } catch (error) {
    throw swarmErrors.E_PING_ADDRESS(text, messageOf(error))
  }
}

async function isKnown(network: Network, peer: string): Promise<boolean> {
  return ((await network.peer(peer))?.addresses.length ?? 0) > 0
}

async function lookUp(network: Network, peer: string, options: NetworkOptions, caller: AbortSignal): Promise<void> {
  try {
    await network.find(peer, options)
  } catch (error) {
    caller.throwIfAborted()
    // whoever asks is told that the peer was not found, not whom there was to ask
    const why = hasCode(error, 'E_NO_PEERS_TO_ASK') ? networkErrors.E_PEER_NOT_FOUND() : error
    throw swarmErrors.E_PING_LOOKUP(messageOf(why))
  }
}

/** Sends one message. @returns why it failed */
async function roundTrip(
  network: Network,
  peer: string,
  addresses: readonly string[],
  times: number[],
  signal: AbortSignal
): Promise<string | undefined> {
  try {
    await network.dial(peer, addresses, { signal })
    times.push(Math.round((await network.ping(peer, { signal })) * 1e6))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return messageOf(error)
  }
}
