import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchNode, benchFolder, startNode } from './node.ts'

/** Peers of this machine alone, at a port that is free. */
const ALONE = {
  Bootstrap: [],
  'Discovery.MDNS.Enabled': false,
  'Swarm.DisableNatPortMap': true,
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0']
}

/** A node with peers, in a process of its own. @param node - values of the node configuration, by dotted keys */
export async function startOnline(repo?: string, node: Readonly<Record<string, unknown>> = {}): Promise<BenchNode> {
  const online = join(await benchFolder(), 'holdfast.config.json')
  await writeFile(online, JSON.stringify({ plugins: { network: 'on', bitswap: 'on' } }), { mode: 0o600 })
  return startNode(repo, { online, node: { ...ALONE, ...node } })
}

/** Connects `one` with the other. */
export async function connect(one: BenchNode, other: BenchNode): Promise<void> {
  const { Addresses } = JSON.parse(await other.post('id')) as { Addresses: string[] }
  await one.post(`swarm/connect?arg=${encodeURIComponent(Addresses[0]!)}`)
}
