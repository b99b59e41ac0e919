/** Many streams on one connection, of either side at once: each forwarded connection is a stream of its own. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { eachPair, join } from './nodes/pairs.ts'
import type { Peer } from './nodes/peer.ts'

const STREAMS = 10_000
/** Streams that are open at a time, of each side. */
const AT_A_TIME = 16

/** What sends back what it gets, and counts who came. */
async function echo(t: ExecutionContext) {
  let count = 0
  const server = createServer({ allowHalfOpen: true }, socket => {
    count++
    socket.on('error', () => {}).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, count: () => count }
}

async function there(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, timeout: 30_000 })
  socket.on('timeout', () => socket.destroy(new Error('nothing came for 30 s')))
  socket.end(text)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** A port of this machine that leads by one node to a service behind the other. */
async function forwarded(one: Peer, other: Peer, port: number): Promise<number> {
  await other.ask(`p2p/listen?arg=/x/echo&arg=/ip4/127.0.0.1/tcp/${port}`)
  await one.ask(`p2p/forward?arg=/x/echo&arg=/ip4/127.0.0.1/tcp/0&arg=/p2p/${other.id}`)
  const { Listeners } = await one.json<{ Listeners: ReadonlyArray<{ ListenAddress: string; TargetAddress: string }> }>('p2p/ls')
  return Number(Listeners.find(({ TargetAddress }) => TargetAddress === `/p2p/${other.id}`)!.ListenAddress.split('/').at(-1))
}

eachPair(
  (version, transport, pair) => {
    test.serial(`${STREAMS} streams of each side go over one connection by ${transport}, Kubo ${version}`, async t => {
      const { ours, kubo } = await pair()
      await join(ours, kubo, transport)
      await Promise.all(
        [
          [ours, kubo],
          [kubo, ours]
        ].map(async ([one, other]) => {
          const service = await echo(t)
          const port = await forwarded(one!, other!, service.port)
          let next = 0
          const caller = async () => {
            for (let i = next++; i < STREAMS; i = next++) {
              const text = `${one!.program} ${i}`
              const back = await there(port, text)
              if (back !== text) throw new Error(`stream ${i} of ${one!.program} brought back ${JSON.stringify(back)}`)
            }
          }
          await Promise.all(Array.from({ length: AT_A_TIME }, caller))
          t.is(service.count(), STREAMS)
        })
      )
      t.deepEqual(await ours.transports(kubo), [transport])
    })
  },
  { 'Experimental.Libp2pStreamMounting': true }
)
