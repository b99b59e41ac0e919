import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { type Daemon, launchDaemon, startDaemon } from '../../helpers/process/daemon.ts'
import { post } from '../support/rpc.ts'

/** A node of a process of its own that is there to be killed, and comes back on the same repo. */
export interface Victim {
  readonly id: string
  readonly folder: string
  /** Starts it, where it is not running, and connects it with nobody. */
  start(): Promise<Daemon>
}

/** The node configuration of both sides: they talk over loopback, by the DHT and by pubsub. */
export const TALKING = {
  'Routing.Type': 'dht',
  'Routing.LoopbackAddressesOnLanDHT': true,
  'Reprovider.Interval': '0s',
  'Pubsub.Enabled': true,
  'Ipns.UsePubsub': true,
  'Experimental.Libp2pStreamMounting': true
} as const

/** Makes the repo of such a node. */
export async function victim(t: ExecutionContext): Promise<Victim> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await (await startDaemon(repo)).stop()
  const file = join(repo, 'config')
  const node = JSON.parse(await readFile(file, 'utf8'))
  node.Addresses.Swarm = ['/ip4/127.0.0.1/tcp/0']
  node.Bootstrap = []
  node.Discovery.MDNS.Enabled = false
  node.Swarm.DisableNatPortMap = true
  for (const [key, value] of Object.entries(TALKING)) {
    const [group, name] = key.split('.') as [string, string]
    node[group] = { ...node[group], [name]: value }
  }
  await writeFile(file, JSON.stringify(node))
  const config = join(folder, 'host.json')
  await writeFile(config, JSON.stringify({ plugins: { network: 'on', mount: 'on' } }))
  return {
    id: node.Identity.PeerID,
    folder,
    start() {
      const launched = launchDaemon(repo, { online: true, globalArgs: ['--config', config] })
      t.teardown(() => launched.kill())
      return launched.ready
    }
  }
}

/** Connects a node of another process with one of this. */
export async function connect({ url }: Daemon, node: OnlineNode): Promise<void> {
  await post(url, `swarm/connect?arg=${encodeURIComponent(node.addresses()[0]!)}`)
}

/** A command with its arguments, as the path of a request. */
export const request = (path: string, ...args: readonly string[]): string =>
  `${path}?${args.map(arg => `arg=${encodeURIComponent(arg)}`).join('&')}`
