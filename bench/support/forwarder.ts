/**
 * A process that carries octets between a client and a service of this machine, in two ways: by plain TCP to the process behind it, and over streams of
 * peers. Its parent tells it what to do.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Network } from '../../core/index.ts'
import { limitOldGeneration } from '../../host/cli/memory/old-generation.ts'
import { Scavenger } from '../../host/cli/memory/scavenger.ts'
import { YoungGeneration } from '../../host/cli/memory/young-generation.ts'
import { startPeer } from './peer.ts'

/** What a parent asks for; each is answered with a port, or an address. */
export type Order =
  /** Carries whoever comes to a port of this machine. */
  | { readonly do: 'relay'; readonly to: number }
  /** Offers a service of this machine to peers. */
  | { readonly do: 'offer'; readonly to: number }
  /** Listens on a port that leads to the service of a peer. */
  | { readonly do: 'forward'; readonly peer: string; readonly address: string }

const PROTOCOL = '/x/bench'

// as a daemon has it, whichever way octets are carried
limitOldGeneration()
new YoungGeneration()
new Scavenger()

const host = await startPeer({ 'Experimental.Libp2pStreamMounting': true })
const network = host.service(Network)!

async function relay(to: number): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const drop = () => {
      near.destroy()
      far.destroy()
    }
    Promise.all([pipeline(near, far), pipeline(far, near)]).catch(drop)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function forward(peer: string, address: string): Promise<number> {
  await network.dial(peer, [address])
  await host.call('p2p/forward', { args: [PROTOCOL, '/ip4/127.0.0.1/tcp/0', `/p2p/${peer}`] })
  const { Listeners } = (await host.call('p2p/ls')) as { Listeners: ReadonlyArray<{ ListenAddress: string }> }
  return Number(Listeners[0]!.ListenAddress.split('/').at(-1))
}

async function follow(order: Order): Promise<unknown> {
  if (order.do === 'relay') return relay(order.to)
  if (order.do === 'forward') return forward(order.peer, order.address)
  await host.call('p2p/listen', { args: [PROTOCOL, `/ip4/127.0.0.1/tcp/${order.to}`] })
  return { peer: network.self, address: network.announced()[0] }
}

process.on('message', order => void follow(order as Order).then(answer => process.send!(answer)))
process.on('disconnect', () => process.exit())
process.send!('ready')
