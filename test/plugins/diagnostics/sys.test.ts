import { statfs } from 'node:fs/promises'
import test from 'ava'
import { testHost } from '../../../host/testing.ts'

test('diag/sys tells the disk, the memory, the addresses and the engine, in the order of the reference', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const sys = (await host.call('diag/sys')) as Record<string, Record<string, unknown>>
  const members = Object.fromEntries(Object.entries(sys).map(([name, of]) => [name, typeof of === 'object' ? Object.keys(of) : of]))
  t.deepEqual(Object.entries(members), [
    ['diskinfo', ['free_space', 'fstype', 'total_space']],
    ['environment', ['GOPATH', 'IPFS_PATH']],
    ['ipfs_commit', `holdfast/${host.version}`],
    ['ipfs_version', '0.28.0'],
    ['memory', ['swap', 'virt']],
    ['net', ['interface_addresses', 'online']],
    ['runtime', ['arch', 'compiler', 'gomaxprocs', 'numcpu', 'numgoroutines', 'os', 'version']]
  ])
  const { blocks, bsize, type } = await statfs(process.cwd(), { bigint: true })
  t.like(sys['diskinfo'], { total_space: blocks * bsize, fstype: String(type) })
  t.true((sys['diskinfo']!['free_space'] as bigint) <= blocks * bsize)
  t.true((sys['net']!['interface_addresses'] as string[]).includes('/ip4/127.0.0.1'))
  t.is(sys['net']!['online'], false)
  t.is(sys['runtime']!['version'], `node/${process.versions.node}`)
  if (process.platform === 'linux') t.true((sys['memory']!['virt'] as number) > 1e6)
})
