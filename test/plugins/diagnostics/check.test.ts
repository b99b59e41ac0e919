import test from 'ava'
import { hasCode } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { compared, versionsOf } from '../../../plugins/diagnostics/commands/version/check.ts'
import { onlineNode } from '../../helpers/online.ts'

const peer = (id: string, agent: string) => ({ id, agent })

test('versions are those of peers that run this program, and no early ones', t => {
  const peers = [
    peer('self', 'holdfast/1.0.0'),
    peer('a', 'holdfast/1.2.0'),
    peer('b', 'holdfast/1.0.1/suffix'),
    peer('c', 'holdfast/2.0.0-rc1'),
    peer('d', 'kubo/9.9.9'),
    peer('e', 'holdfast/newest'),
    peer('f', 'holdfast'),
    peer('g', '')
  ]
  t.deepEqual(versionsOf(peers, 'holdfast', 'self'), ['1.2.0', '1.0.1'])
})

test('an update is there where enough peers run something later', t => {
  const reply = { RunningVersion: '1.1.0', GreatestVersion: '1.10.0', PeersSampled: 5, WithGreaterVersion: 2 }
  const versions = ['1.2.0', '1.10.0', '1.0.9', '1.1.0']
  t.deepEqual(compared('1.1.0', versions, 40), { UpdateAvailable: true, ...reply })
  t.deepEqual(compared('1.1.0', versions, 41), { UpdateAvailable: false, ...reply })
  t.like(compared('1.1.0', [], 1), { UpdateAvailable: false, GreatestVersion: '1.1.0', PeersSampled: 1 })
})

test('peers that are met are counted; a node that runs offline has none', async t => {
  const [one, other] = await Promise.all([onlineNode(t), onlineNode(t)])
  await one.network.dial(other.network.self, other.network.announced())
  t.like(await one.host.call('version/check'), { UpdateAvailable: false, PeersSampled: 2, WithGreaterVersion: 0 })
  for (const minPercent of [0, 101])
    t.true(hasCode(await t.throwsAsync(one.host.call('version/check', { options: { minPercent } })), 'E_VERSION_PERCENT'))
  const offline = await testHost()
  t.teardown(() => offline.stop())
  t.true(hasCode(await t.throwsAsync(offline.call('version/check')), 'E_NEEDS_ONLINE'))
})
