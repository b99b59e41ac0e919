import { once } from 'node:events'
import { type IncomingMessage, request as open } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type World, world } from '../world.ts'

/** More than lies in the buffers of a connection. */
const LARGE = Buffer.alloc(16 << 20, 'large')
const proxied = { trustedProxies: ['127.0.0.0/8'] }
const from = (address: string) => ({ 'x-forwarded-for': address })

/** Asks for a file and reads nothing of it. Resolves when the answer has begun. */
async function slowReader(t: ExecutionContext, { port }: World, path: string, headers: Record<string, string> = {}): Promise<number> {
  const outgoing = open({ host: '127.0.0.1', port, path, headers, agent: false })
  outgoing.on('error', () => {})
  t.teardown(() => outgoing.destroy())
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  return response.statusCode
}

test('slow readers of one address leave room for others', async t => {
  const at = await world(t, { settings: { ...proxied, limits: { requests: 8, retryAfterSeconds: 7 } } })
  const { cids } = await at.add({ large: LARGE })
  const path = `/ipfs/${cids.get('large')}`
  for (let i = 0; i < 7; i++) t.is(await slowReader(t, at, path, from('192.0.2.1')), 200)
  const refused = await at.get('/ipfs/bafkqaaa', from('192.0.2.1'))
  t.deepEqual([refused.status, refused.headers['retry-after'], refused.headers['cache-control']], [429, '7', 'no-store'])
  t.is(
    refused.text,
    'Too many requests. Please retry after 7 seconds. 7 requests of yours are being answered (plugins.gateway.limits.requestsPerCaller).\n'
  )
  t.is((await at.get('/ipfs/bafkqaaa', from('192.0.2.2'))).status, 200)
  t.is(await slowReader(t, at, path, from('192.0.2.2')), 200)
  t.is((await at.get('/ipfs/bafkqaaa', from('192.0.2.3'))).text, 'Too many requests. Please retry after 7 seconds.\n')
})

test('a place is free again when its reader has left', async t => {
  const at = await world(t, { settings: { limits: { requestsPerCaller: 1 } } })
  const { cids } = await at.add({ large: LARGE })
  const outgoing = open({ host: '127.0.0.1', port: at.port, path: `/ipfs/${cids.get('large')}`, agent: false })
  outgoing.on('error', () => {})
  outgoing.end()
  await once(outgoing, 'response')
  t.is((await at.get('/ipfs/bafkqaaa')).status, 429)
  outgoing.destroy()
  let status = 429
  while (status === 429) status = (await at.get('/ipfs/bafkqaaa')).status
  t.is(status, 200)
})

test('a reader that takes nothing loses its place and its connection, one that takes little at a time has all of it', async t => {
  const at = await world(t, { settings: { stalledTimeoutMs: 1000, limits: { requestsPerCaller: 2 } } })
  const { cids } = await at.add({ large: LARGE })
  const path = `/ipfs/${cids.get('large')}`
  t.is(await slowReader(t, at, path), 200)
  const outgoing = open({ host: '127.0.0.1', port: at.port, path, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  t.is((await at.get('/ipfs/bafkqaaa')).status, 429)
  let read = 0
  let rests = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    read += piece.length
    if (read < (rests + 1) * (LARGE.length / 64)) continue
    rests++
    await sleep(50)
  }
  t.is(read, LARGE.length)
  t.true(rests >= 60)
  // 3 seconds after it stopped, the other one has left
  t.is((await at.get('/ipfs/bafkqaaa')).status, 200)
  t.is(await slowReader(t, at, path), 200)
  t.is((await at.get('/ipfs/bafkqaaa')).status, 200)
})

test('what a caller says of itself does not count unless its proxy is trusted', async t => {
  const at = await world(t, { settings: { limits: { requestsPerCaller: 1 } } })
  const { cids } = await at.add({ large: LARGE })
  t.is(await slowReader(t, at, `/ipfs/${cids.get('large')}`, from('192.0.2.1')), 200)
  t.is((await at.get('/ipfs/bafkqaaa', from('192.0.2.2'))).status, 429)
})

test('one caller may make so many requests a second, others as many', async t => {
  const at = await world(t, { settings: { ...proxied, limits: { perSecond: 0.01, burst: 2 } } })
  const one = from('192.0.2.1')
  t.is((await at.get('/ipfs/bafkqaaa', one)).status, 200)
  t.is((await at.get('/ipfs/nonsense', one)).status, 400)
  const refused = await at.get('/ipfs/bafkqaaa', one)
  t.is(refused.status, 429)
  const seconds = Number(refused.headers['retry-after'])
  t.true(seconds > 90 && seconds <= 100, String(seconds))
  t.is(
    refused.text,
    `Too many requests. Please retry after ${seconds} seconds. You may make 0.01 a second (plugins.gateway.limits.perSecond).\n`
  )
  t.is((await at.get('/ipfs/bafkqaaa', from('192.0.2.2'))).status, 200)
  t.is((await at.get('/ipfs/bafkqaaa', from('2001:db8:1:2::1'))).status, 200)
  t.is((await at.get('/ipfs/bafkqaaa', from('2001:db8:1:2::2'))).status, 200)
  t.is((await at.get('/ipfs/bafkqaaa', from('2001:db8:1:2::3'))).status, 429)
})
