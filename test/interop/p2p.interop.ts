/** A service behind one node is reached through the other, whoever listens. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { forwarded } from './nodes/forwarded.ts'
import { along, eachPair, join, WAYS } from './nodes/pairs.ts'

const SIZE = 8 << 20

eachPair(
  (version, transport, pair) => {
    for (const way of WAYS) {
      test.serial(`a service is reached ${way} Kubo ${version} over ${transport}, and large bodies go to it and come back`, async t => {
        const [behind, before] = along(way, await pair())
        await join(before, behind, transport)
        const server = http.createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1')
        await once(server, 'listening')
        t.teardown(() => server.close())
        const port = await forwarded(before, behind, (server.address() as AddressInfo).port, '/x/http')
        const body = randomBytes(SIZE)
        for (let i = 0; i < 3; i++) {
          const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, signal: AbortSignal.timeout(60_000) })
          t.true(body.equals(Buffer.from(await answer.arrayBuffer())))
        }
      })
    }
  },
  { 'Experimental.Libp2pStreamMounting': true }
)
