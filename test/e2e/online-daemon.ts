import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Daemon, launchDaemon, startDaemon } from '../helpers/process/daemon.ts'

/** A node of its own process that waits for peers on loopback, and looks for none. */
export async function onlineDaemon(
  t: ExecutionContext,
  flags: readonly string[] = [],
  sections: Readonly<Record<string, object>> = {}
): Promise<{
  daemon: Daemon
  /** Starts one on the same repo. */
  again(): Promise<Daemon>
  folder: string
  repo: string
  config: string
}> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await (await startDaemon(repo)).stop()
  const file = join(repo, 'config')
  const node = JSON.parse(await readFile(file, 'utf8'))
  node.Addresses.Swarm = ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/udp/0/quic-v1']
  node.Bootstrap = []
  node.Discovery.MDNS.Enabled = false
  node.Swarm.DisableNatPortMap = true
  node.Routing = { ...node.Routing, Type: 'dht' }
  for (const [name, values] of Object.entries(sections)) node[name] = { ...node[name], ...values }
  await writeFile(file, JSON.stringify(node))
  const config = join(folder, 'network.json')
  await writeFile(config, JSON.stringify({ plugins: { network: 'on' } }))
  const start = () => {
    const launched = launchDaemon(repo, {
      online: true,
      globalArgs: ['--config', config],
      args: ['--agent-version-suffix', 'tested', ...flags]
    })
    t.teardown(() => launched.kill())
    return launched.ready
  }
  return { daemon: await start(), again: start, folder, repo, config }
}
