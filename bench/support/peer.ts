import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'

/**
 * A host in this process that talks to peers of this machine alone, its blocks in memory.
 *
 * @param overrides - of the node configuration
 * @param plugins - that are switched on besides
 */
export async function startPeer(overrides: Readonly<Record<string, boolean>>, plugins: readonly string[] = []): Promise<NodeHost> {
  const host = await createHost({
    configuration: {
      plugins: {
        network: 'on',
        'storage-rocksdb': 'off',
        'storage-memory': 'on',
        ...Object.fromEntries(plugins.map(name => [name, 'on' as const]))
      }
    },
    repo: {
      path: undefined,
      init: {},
      overrides: {
        'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'],
        Bootstrap: [],
        'Discovery.MDNS.Enabled': false,
        'Swarm.DisableNatPortMap': true,
        'Routing.Type': 'none',
        ...overrides
      }
    }
  })
  await host.start()
  return host
}
