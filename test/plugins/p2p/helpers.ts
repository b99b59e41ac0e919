import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { Json } from '../../../core/index.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'

interface Options {
  /** Settings of the plugin `p2p`. */
  readonly p2p?: Readonly<Record<string, unknown>>
  readonly node?: Readonly<Record<string, Json>>
}

/** A node that may offer and forward services. */
export const mountingNode = (t: ExecutionContext, { p2p, node }: Options = {}): Promise<OnlineNode> =>
  onlineNode(t, {
    node: { 'Experimental.Libp2pStreamMounting': true, ...node },
    ...(p2p === undefined ? {} : { on: { p2p } })
  })

/** Two such nodes that are connected. */
export async function pair(t: ExecutionContext, options: Options = {}): Promise<{ near: OnlineNode; far: OnlineNode }> {
  const [near, far] = await Promise.all([mountingNode(t, options), mountingNode(t, options)])
  await near.network.dial(far.network.self, far.network.announced())
  return { near, far }
}

/** A service of this machine over TCP. */
export async function tcpService(t: ExecutionContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`
}

interface Listing {
  readonly Listeners: ReadonlyArray<{ readonly Protocol: string; readonly ListenAddress: string; readonly TargetAddress: string }> | null
}

export const listed = async ({ host }: OnlineNode) => ((await host.call('p2p/ls')) as Listing).Listeners ?? []

/** Forwards a protocol of the far node to a free port of this machine. @returns the port */
export async function forwarded(near: OnlineNode, far: OnlineNode, protocol: string): Promise<number> {
  const before = new Set((await listed(near)).map(one => one.ListenAddress))
  await near.host.call('p2p/forward', { args: [protocol, '/ip4/127.0.0.1/tcp/0', `/p2p/${far.network.self}`] })
  const added = (await listed(near)).find(one => !before.has(one.ListenAddress))!
  return Number(added.ListenAddress.split('/').at(-1))
}

/** A client of a port of this machine, which is destroyed when the test ends. */
export async function client(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** All that comes until the other side has ended; an error where it was torn. */
export async function textUntilEnd(socket: Socket): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
