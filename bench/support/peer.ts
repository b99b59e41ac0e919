import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'

/** A host in this process that talks to peers of this machine alone, its blocks in memory. @param overrides - of the node configuration */
export async function startPeer(overrides: Readonly<Record<string, boolean>>): Promise<NodeHost> {
  const host = await createHost({
    configuration: { plugins: { network: 'on', 'storage-rocksdb': 'off', 'storage-memory': 'on' } },
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
