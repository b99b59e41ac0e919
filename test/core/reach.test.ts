import test from 'ava'
import { reachOf, reachOfIp } from '../../core/multiaddr/index.ts'

test('an address is loopback, private or public however it is written', t => {
  const rows = {
    loopback: [
      '/ip4/127.0.0.1',
      '/ip6/::1',
      '/ip6/0:0:0:0:0:0:0:1',
      '/ip6/::ffff:127.0.0.1',
      '/ip6/::ffff:7f00:1',
      '/ip6/64:ff9b::7f00:1',
      '/dns4/localhost',
      '/dns4/LOCALHOST',
      '/dns4/localhost.',
      '/dns4/a.localhost',
      '/dns/127.0.0.1',
      '/dns4/0x7f.1',
      '/dns4/2130706433',
      '/ip6zone/lo/ip6/::1'
    ],
    private: [
      '/ip4/10.0.0.1',
      '/ip4/0.0.0.0',
      '/ip4/169.254.169.254',
      '/dns4/0',
      '/dns4/10.0.0.1',
      '/ip6/::',
      '/ip6/fd00::1',
      '/ip6/::ffff:a00:1',
      '/ip6zone/eth0/ip6/fe80::1',
      '/ip6zone/eth0/ip6/2606:4700::1111',
      '/ip6/fe80::1%eth0',
      '/ip6/::7f00:1',
      '/ip6/2002:7f00:1::',
      '/ip6/64:ff9b:1::7f00:1',
      '/ip6/fec0::1',
      '/ip6/ff02::1',
      '/ip6/2001:db8::1',
      '/ip4/192.0.0.1',
      '/ip4/192.0.2.7',
      '/ip4/198.18.0.1',
      '/ip4/224.0.0.1',
      '/ip4/255.255.255.255'
    ],
    public: [
      '/ip4/1.1.1.1',
      '/ip4/172.32.0.1',
      '/ip6/2606:4700::1111',
      '/ip6/::ffff:101:101',
      '/ip6/64:ff9b::101:101',
      '/dns4/example.org',
      '/dnsaddr/bootstrap.libp2p.io'
    ],
    none: ['/p2p-circuit', '/unix/x']
  }
  for (const [reach, addresses] of Object.entries(rows))
    for (const address of addresses) t.is(reachOf(`${address}/tcp/1`), reach as 'none', address)
  t.deepEqual(['::1%lo', 'fe80::1%eth0', '2606:4700::1111%eth0', '::ffff:8.8.8.8'].map(reachOfIp), [
    'loopback',
    'private',
    'private',
    'public'
  ])
})
