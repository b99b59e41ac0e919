/** Many streams on one connection, of either side at once: each forwarded connection is a stream of its own. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { forwarded } from './nodes/forwarded.ts'
import { eachPair, join } from './nodes/pairs.ts'

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

/** Kubo closes both directions with the first end that it sees, or resets them: everything is back before this side leaves. */
async function there(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 30_000 })
  socket.on('timeout', () => socket.destroy(new Error('nothing came for 30 s')))
  socket.write(text)
  let back = ''
  for await (const chunk of socket) {
    back += chunk
    if (back.length >= text.length) break
  }
  return back
}

eachPair(
  (version, transport, pair) => {
    test.serial(`${STREAMS} streams of each side go over one connection by ${transport}, Kubo ${version}`, async t => {
      const { ours, kubo } = await pair()
      await join(ours, kubo, transport)
      t.timeout(480_000)
      let failed = false
      await Promise.all(
        [
          [ours, kubo],
          [kubo, ours]
        ].map(async ([one, other]) => {
          const service = await echo(t)
          const port = await forwarded(one!, other!, service.port, '/x/echo')
          let next = 0
          const caller = async () => {
            for (let i = next++; i < STREAMS && !failed; i = next++) {
              const text = `${one!.program} ${i}`
              const back = await there(port, text).catch((error: Error) => error.message)
              if (back === text) continue
              failed = true
              throw new Error(`stream ${i} of ${one!.program} brought back ${JSON.stringify(back)}`)
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
