import test from 'ava'
import { Buckets, isProxy, Proxies, whoIs } from '../../../core/callers/index.ts'
import type { Caller } from '../../../core/contract/caller.ts'

const from = (address: string | undefined, forwarded?: string): Caller => ({
  transport: 'http',
  address,
  headers: { 'x-forwarded-for': forwarded }
})

test('a bucket holds a burst, and fills at its rate', t => {
  let now = 0
  const buckets = new Buckets({ perSecond: 2, burst: 3, callers: 10 }, () => now)
  t.deepEqual(
    [1, 2, 3].map(() => buckets.take('a')),
    [0, 0, 0]
  )
  t.is(buckets.take('a'), 0.5)
  t.is(buckets.take('b'), 0)
  now = 500
  t.is(buckets.take('a'), 0)
  t.is(buckets.take('a'), 0.5)
  now = 1_000_000
  t.deepEqual(
    [1, 2, 3, 4].map(() => buckets.take('a')),
    [0, 0, 0, 0.5]
  )
})

test('no more callers are remembered than the settings say', t => {
  const buckets = new Buckets({ perSecond: 1, burst: 1, callers: 2 }, () => 0)
  for (const who of ['a', 'b', 'c']) t.is(buckets.take(who), 0)
  t.is(buckets.take('b'), 1)
  t.is(buckets.take('c'), 1)
  t.is(buckets.take('a'), 0)
})

test('a caller is its secret, its address, or what a trusted proxy says', t => {
  const proxies = new Proxies(['10.0.0.0/8', 'fd00::1'])
  t.is(whoIs({ ...from('192.0.2.1'), grant: { name: 'ci' } }, proxies), 'secret ci')
  t.is(whoIs(from('192.0.2.1', '198.51.100.9'), proxies), 'address 192.0.2.1')
  t.is(whoIs(from('::ffff:10.1.2.3', '203.0.113.1, 198.51.100.9'), proxies), 'address 198.51.100.9')
  t.is(whoIs(from('fd00::1', '198.51.100.9, 10.4.4.4'), proxies), 'address 198.51.100.9')
  t.is(whoIs(from('10.1.2.3', 'unknown'), proxies), 'address 10.1.2.3')
  t.is(whoIs(from('10.1.2.3'), proxies), 'address 10.1.2.3')
  t.is(whoIs(from('10.1.2.3', '[2001:db8:1:2:3::4]:555'), proxies), 'address 2001:db8:1:2::/64')
  t.is(whoIs(from('2001:db8::7'), proxies), 'address 2001:db8:0:0::/64')
  t.is(whoIs(from(undefined), proxies), undefined)
  for (const text of ['10.0.0.0/33', '10.0.0.0/8/8', 'proxy', '10.0.0.0/x']) {
    t.throws(() => new Proxies([text]), { instanceOf: TypeError })
    t.false(isProxy(text))
  }
  t.true(isProxy('10.0.0.0/8'))
})
