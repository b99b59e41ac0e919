import test from 'ava'
import { type Names, publicWays } from '../../../plugins/pinning-service/origins.ts'

const PEER = '12D3KooWQiRwjA4hn1MF34FMVfKVGra4hF8YfbQ1ocnHB4mhzGMC'
const OTHER = '12D3KooWJMU93hDNtSPJZFYDprYkEXyUvXQKSeqvCsfGwRvQmY1d'

const TEXTS: Readonly<Record<string, string[]>> = {
  '_dnsaddr.all.example': [
    `dnsaddr=/ip4/8.8.4.4/tcp/1/p2p/${PEER}`,
    `dnsaddr=/ip4/10.0.0.1/tcp/1/p2p/${PEER}`,
    `dnsaddr=/dns4/inside.example/tcp/1/p2p/${PEER}`,
    `dnsaddr=/dns4/outside.example/tcp/1/p2p/${PEER}`,
    `dnsaddr=/ip4/1.1.1.1/tcp/1/p2p/${OTHER}`,
    `dnsaddr=ip4/127.0.0.1/tcp/1/p2p/${PEER}`,
    `dnsaddr=/ip4//tcp/1/p2p/${PEER}`
  ]
}
const ADDRESSES: Readonly<Record<string, string[]>> = {
  'inside.example 4': ['10.0.0.1', '127.0.0.1', '169.254.169.254'],
  'inside.example 6': ['::1', 'fd00::1', '::ffff:192.168.0.1'],
  'outside.example 4': ['8.8.8.8'],
  'outside.example 6': ['2600::1'],
  'both.example 4': ['192.168.0.1', '8.8.8.8']
}

/** What clients name, and the addresses that are dialled for it. */
const WAYS: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['', ['']],
  ['/ip4/8.8.8.8/tcp/1', ['/ip4/8.8.8.8/tcp/1']],
  ['/dns4/8.8.8.8/tcp/1', ['/ip4/8.8.8.8/tcp/1']],
  ['/dns/outside.example/tcp/1', ['/ip4/8.8.8.8/tcp/1', '/ip6/2600::1/tcp/1']],
  ['/dns4/outside.example/tcp/1/ws', ['/ip4/8.8.8.8/tcp/1/ws']],
  ['/dns6/outside.example/udp/1/quic-v1', ['/ip6/2600::1/udp/1/quic-v1']],
  ['/dns4/both.example/tcp/1', ['/ip4/8.8.8.8/tcp/1']],
  ['/dnsaddr/all.example', ['/ip4/8.8.4.4/tcp/1', '/ip4/8.8.8.8/tcp/1']]
]

/** What nothing is dialled for. */
const NOWHERE = [
  '/ip4/10.0.0.1/tcp/1',
  '/dns4/10.0.0.1/tcp/1',
  '/dns/inside.example/tcp/1',
  '/dns4/inside.example/tcp/1',
  '/dns6/inside.example/udp/1/quic-v1',
  '/dns4/inside.example/tcp/443/wss',
  `/dns4/inside.example/tcp/1/p2p/${OTHER}/p2p-circuit`,
  '/dns4/outside.example/tcp/443/wss',
  '/dns4/outside.example/tcp/443/tls/ws',
  '/dns4/unknown.example/tcp/1',
  '/dnsaddr/none.example'
]

const names: Names = {
  text: async name => TEXTS[name] ?? [],
  addresses: async (name, family) => ADDRESSES[`${name} ${family}`] ?? []
}

test('what a client names is dialled at addresses of the public network alone, by whatever name', async t => {
  for (const [transport, expected] of [...WAYS, ...NOWHERE.map(name => [name, []] as const)]) {
    const found = await publicWays([{ transport, peer: PEER }], names, new AbortController().signal)
    t.deepEqual(
      found,
      expected.map(one => ({ transport: one, peer: PEER })),
      transport
    )
  }
})

test('a name that says another address the second time is asked for once', async t => {
  let asked = 0
  const changing: Names = { ...names, addresses: async () => (asked++ === 0 ? ['8.8.8.8'] : ['127.0.0.1']) }
  const found = await publicWays([{ transport: '/dns4/changing.example/tcp/1', peer: PEER }], changing, new AbortController().signal)
  t.deepEqual(found, [{ transport: '/ip4/8.8.8.8/tcp/1', peer: PEER }])
  t.is(asked, 1)
})

test('a name that nobody answers for does not keep the others from being dialled', async t => {
  const silent: Names = {
    ...names,
    addresses: (name, family, signal) =>
      name === 'silent.example'
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
        : names.addresses(name, family, signal)
  }
  const ways = ['/dns4/silent.example/tcp/1', '/dns4/outside.example/tcp/1'].map(transport => ({ transport, peer: PEER }))
  const late = new AbortController()
  // unlike that of AbortSignal.timeout, this timer keeps the process of the test alive
  const timer = setTimeout(() => late.abort(new Error('late')), 50)
  t.teardown(() => clearTimeout(timer))
  t.deepEqual(await publicWays(ways, silent, late.signal), [{ transport: '/ip4/8.8.8.8/tcp/1', peer: PEER }])
})
