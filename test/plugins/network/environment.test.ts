import test from 'ava'
import type { Repo } from '../../../core/index.ts'
import { networkConfig } from '../../../plugins/network/config/config.ts'
import { ConfiguredLimits } from '../../../plugins/network/limits/limits.ts'
import { onlineNode } from '../../helpers/online.ts'

const repoOf = (values: Readonly<Record<string, unknown>> = {}) =>
  ({ get: (key: string) => values[key], config: () => ({}) }) as unknown as Repo

test('variables that the reference no longer knows are refused with what took their place', t => {
  t.deepEqual(networkConfig(repoOf(), {}).security, ['Noise', 'TLS'])
  t.throws(() => networkConfig(repoOf(), { LIBP2P_MUX_PREFS: '' }), {
    code: 'E_MUXER_PREFERENCE',
    message: /LIBP2P_MUX_PREFS .* Swarm\.Transports\.Multiplexers/
  })
  t.throws(() => networkConfig(repoOf(), { IPFS_REUSEPORT: 'false' }), { code: 'E_REUSEPORT', message: /IPFS_REUSEPORT/ })
})

test('LIBP2P_RCMGR switches limits on and off, whatever the configuration says, and says nothing with another value', t => {
  const enabled = (key: boolean | undefined, said: string | undefined) =>
    new ConfiguredLimits(repoOf({ 'Swarm.ResourceMgr.Enabled': key }), said === undefined ? {} : { LIBP2P_RCMGR: said }).enabled
  t.deepEqual(
    [undefined, '0', 'false', '1', 'true', 'x'].map(said => [enabled(undefined, said), enabled(true, said), enabled(false, said)]),
    [
      [true, true, false],
      [false, false, false],
      [false, false, false],
      [true, true, true],
      [true, true, true],
      [true, true, false]
    ]
  )
})

test('a reachability that is none is refused with the key and the words of the reference', async t => {
  await t.throwsAsync(onlineNode(t, { node: { 'Internal.Libp2pForceReachability': 'both' } }), {
    message: /Internal\.Libp2pForceReachability: unrecognized reachability option: both/
  })
})

test.serial('a network that has stopped leaves no timer that holds the process', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const nodes = [await onlineNode(t), await onlineNode(t)] as const
  await nodes[0].network.dial(nodes[1].network.self, nodes[1].network.announced())
  for (const { host } of nodes) await host.stop()
  // what is to run in the next turn does
  await new Promise(resolve => setTimeout(resolve, 10))
  t.is(timers(), before)
})
