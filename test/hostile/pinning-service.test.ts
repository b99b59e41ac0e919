/** Clients of the pinning service that ask for much, and read nothing of it. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { startTarget } from './support/node.ts'

const MIB = 1 << 20
const CID = 'bafkqaaa'

test('50 clients of one token that read nothing of their lists hold little, however much their pins say', async t => {
  const target = await startTarget({ plugins: { 'pinning-service': { port: 0, limits: { perSecond: 10_000, burst: 10_000 } } } })
  t.teardown(() => target.stop())
  const { text } = await target.ask({ path: 'pin/service/token/new?arg=alice' })
  const { Token } = JSON.parse(text) as { Token: string }
  const port = Number(/Pinning service server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(target.output())?.[1])
  const headers = { Authorization: `Bearer ${Token}` }
  const meta = { much: 'x'.repeat(60_000) }
  for (let i = 0; i < 20; i++)
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        const body = JSON.stringify({ cid: CID, meta })
        const answer = await fetch(`http://127.0.0.1:${port}/pins`, { method: 'POST', headers, body })
        t.is(answer.status, 202, await answer.text())
      })
    )
  await sleep(500)
  const before = await target.vitals(true)
  const clients = Array.from({ length: 50 }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write(`GET /pins?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${Token}\r\n\r\n`)
    return socket
  })
  await sleep(8000)
  const after = await target.vitals()
  for (const client of clients) client.destroy()
  t.true(after.most - before.memory < 200 * MIB, `memory grew by ${(after.most - before.memory) / MIB} MiB`)
})
