import test from 'ava'
import { parsePeer, parseService } from '../../../plugins/p2p/addresses.ts'
import { columns } from '../../../plugins/p2p/columns.ts'
import { connectDatagrams } from '../../../plugins/p2p/datagrams.ts'
import { until } from '../../helpers/until.ts'

const A = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const B = '12D3KooWSzNy6vBcAd8yCFknig6E5dauLXDsRF4U3jSH9Z68UqaZ'
const never = new AbortController().signal

test('a peer is found behind a name, and two peers are one too many', async t => {
  const ask = async (name: string) =>
    name === '_dnsaddr.one.example'
      ? [`dnsaddr=/ip4/192.0.2.1/tcp/4001/p2p/${A}`, `dnsaddr=/ip4/192.0.2.2/tcp/4001/p2p/${A}`, 'dnsaddr=/ip4/192.0.2.3/tcp/1']
      : name === '_dnsaddr.two.example'
        ? [`dnsaddr=/ip4/192.0.2.1/tcp/4001/p2p/${A}`, `dnsaddr=/ip4/192.0.2.2/tcp/4001/p2p/${B}`]
        : []
  t.deepEqual(await parsePeer('/dnsaddr/one.example', ask, never), {
    peer: A,
    addresses: ['/ip4/192.0.2.1/tcp/4001', '/ip4/192.0.2.2/tcp/4001']
  })
  t.deepEqual(await parsePeer(`/ipfs/${A}`, ask, never), { peer: A, addresses: [] })
  await t.throwsAsync(parsePeer('/dnsaddr/two.example', ask, never), {
    message: `ambiguous multiaddr /dnsaddr/two.example could refer to ${A} or ${B}`
  })
  await t.throwsAsync(parsePeer('/dnsaddr/none.example', ask, never), { code: 'E_P2P_UNRESOLVED' })
})

test('the socket of a service is the one that its address starts with', async t => {
  t.deepEqual((await parseService('/ip6/::1/tcp/80/ws')).socket, { network: 'tcp6', host: '::1', port: 80 })
  t.deepEqual((await parseService('/dns/localhost/udp/53')).socket, { network: 'udp', host: 'localhost', port: 53 })
})

test('columns are as wide as the widest of their cells, the last as it is', t => {
  t.is(columns([]), '')
  t.is(
    columns([
      ['a', 'bbb', 'c'],
      ['aaa', 'b', 'cccc']
    ]),
    'a   bbb c\naaa b   cccc\n'
  )
})

test('a service over UDP that is reached too late, as its name is not known in time, leaves no socket behind', async t => {
  const sockets = () => process.getActiveResourcesInfo().filter(kind => kind === 'UDPWrap').length
  const before = sockets()
  const controller = new AbortController()
  const reached = connectDatagrams({ network: 'udp4', host: '127.0.0.1', port: 9 }, controller.signal)
  controller.abort()
  await t.throwsAsync(reached, { name: 'AbortError' })
  await until('the socket is closed', () => sockets() === before)
})
