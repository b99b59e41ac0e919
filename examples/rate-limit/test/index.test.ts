import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from 'holdfast'
import { serve, testHost } from 'holdfast/testing'
import { Buckets } from '../src/buckets.js'
import rateLimit from '../src/index.js'
import { Proxies, whoIs } from '../src/who.js'

const from = (address: string | undefined, forwarded?: string): Caller => ({
  transport: 'http',
  address,
  headers: { 'x-forwarded-for': forwarded }
})

test('a bucket holds a burst, and fills at its rate', () => {
  let now = 0
  const buckets = new Buckets({ perSecond: 2, burst: 3, callers: 10 }, () => now)
  assert.deepEqual(
    [1, 2, 3].map(() => buckets.take('a')),
    [0, 0, 0]
  )
  assert.equal(buckets.take('a'), 0.5)
  assert.equal(buckets.take('b'), 0)
  now = 500
  assert.equal(buckets.take('a'), 0)
  assert.equal(buckets.take('a'), 0.5)
  now = 1_000_000
  assert.deepEqual(
    [1, 2, 3, 4].map(() => buckets.take('a')),
    [0, 0, 0, 0.5]
  )
})

test('no more callers are remembered than the settings say', () => {
  const buckets = new Buckets({ perSecond: 1, burst: 1, callers: 2 }, () => 0)
  for (const who of ['a', 'b', 'c']) assert.equal(buckets.take(who), 0)
  assert.equal(buckets.take('b'), 1)
  assert.equal(buckets.take('c'), 1)
  assert.equal(buckets.take('a'), 0)
})

test('a caller is its secret, its address, or what a trusted proxy says', () => {
  const proxies = new Proxies(['10.0.0.0/8', 'fd00::1'])
  assert.equal(whoIs({ ...from('192.0.2.1'), grant: { name: 'ci' } }, proxies), 'secret ci')
  assert.equal(whoIs(from('192.0.2.1', '198.51.100.9'), proxies), 'address 192.0.2.1')
  assert.equal(whoIs(from('::ffff:10.1.2.3', '203.0.113.1, 198.51.100.9'), proxies), 'address 198.51.100.9')
  assert.equal(whoIs(from('fd00::1', '198.51.100.9, 10.4.4.4'), proxies), 'address 198.51.100.9')
  assert.equal(whoIs(from('10.1.2.3', 'unknown'), proxies), 'address 10.1.2.3')
  assert.equal(whoIs(from('10.1.2.3'), proxies), 'address 10.1.2.3')
  assert.equal(whoIs(from('10.1.2.3', '[2001:db8:1:2:3::4]:555'), proxies), 'address 2001:db8:1:2::/64')
  assert.equal(whoIs(from('2001:db8::7'), proxies), 'address 2001:db8:0:0::/64')
  assert.equal(whoIs(from(undefined), proxies), undefined)
  for (const text of ['10.0.0.0/33', '10.0.0.0/8/8', 'proxy', '10.0.0.0/x']) assert.throws(() => new Proxies([text]), TypeError)
})

test('who asks too often is told when to come back, whatever it asks for', async t => {
  const host = await testHost({ plugins: [rateLimit], configuration: { plugins: { 'rate-limit': { perSecond: 0.01, burst: 3 } } } })
  t.after(() => host.stop())
  const { rpc } = await serve(host)
  const ask = (path: string) => fetch(`${rpc}/${path}`, { method: 'POST' })
  assert.equal((await ask('version')).status, 200)
  assert.equal((await ask('cat')).status, 400)
  assert.equal((await ask('cid/format?arg=nonsense')).status, 200)
  for (const path of ['version', 'cat', 'version?timeout=nonsense', 'cid/format?arg=nonsense']) {
    const answer = await ask(path)
    assert.equal(answer.status, 429, path)
    assert.ok(Number(answer.headers.get('retry-after')) >= 90)
    assert.match(await answer.text(), /"Message":"too many requests: try again in \d+ s","Code":3,"Type":"error"/)
  }
  assert.ok(await host.call('version'))
})
