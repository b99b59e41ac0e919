import { readFile } from 'node:fs/promises'
import { nodeConfigModel } from '../../../config/node/index.ts'
import { stackOf } from '../../../core/errors.ts'
import { parseJsonExactly } from '../../../core/go/json.ts'
import { goPlatform } from '../../../core/go/platform.ts'
import { decodeUtf8, withoutMark } from '../../../core/go/utf8.ts'
import { type InitOptions, type Json, messageOf, Network } from '../../../core/index.ts'
import { type CatalogueEntry, catalogue } from '../../../plugins/catalogue.ts'
import { repoOf } from '../../create.ts'
import { type NodeHost } from '../../host.ts'
import { version } from '../../version.ts'
import { peersOfDaemon } from '../configuration/environment.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import { IdleCollection } from '../memory/idle-collection.ts'
import { limitOldGeneration } from '../memory/old-generation.ts'
import { RestingMemory } from '../memory/resting.ts'
import { Scavenger } from '../memory/scavenger.ts'
import { YoungGeneration } from '../memory/young-generation.ts'
import type { ProgramCall } from '../programs/program.ts'
import type { Terminal } from '../terminal.ts'
import { trustHere } from '../trust/here.ts'
import { type GlobalFlags, hostFor, type PluginSettings } from './compose.ts'
import { Defects } from './defects.ts'
import { withMending } from './failed-plugin.ts'
import { logOptionsOf } from './log-environment.ts'
import { tellOfRepo } from './wholeness.ts'

export interface DaemonFlags extends GlobalFlags {
  readonly init?: boolean
  readonly initConfig?: string
  readonly initProfile?: string
  readonly offline?: boolean
  readonly api?: string
  readonly gateway?: string
  readonly unrestrictedApi?: boolean
  readonly routing?: string
  readonly mount?: boolean
  readonly mountIpfs?: string
  readonly mountIpns?: string
  readonly mountMfs?: string
  readonly [flag: string]: unknown
}

/** Flags whose groups are not part of this node: taken, and said so. */
const AWAITING: ReadonlyArray<{ flag: string; named: string; does: string }> = [
  { flag: 'enableMplexExperiment', named: '--enable-mplex-experiment', does: 'mplex is gone' },
  { flag: 'migrate', named: '--migrate', does: 'a repo of another version is refused' },
  { flag: 'disableTransportEncryption', named: '--disable-transport-encryption', does: 'peers are always talked to encrypted' },
  { flag: 'manageFdlimit', named: '--manage-fdlimit', does: 'the limit of open files stays as it is' }
]

/** Runs a node until it is told to stop, in a folder that is trusted from then on. @returns the exit status */
export async function daemon(flags: DaemonFlags, call: ProgramCall): Promise<number> {
  const { stdout, stderr } = call.terminal
  const young = new YoungGeneration()
  limitOldGeneration()
  const say = (line: string) => void stdout.write(`${line}\n`)
  say('Initializing daemon...')
  say(`holdfast version: ${version}`)
  say(`System version: ${goPlatform()}`)
  say(`Node.js version: ${process.version}`)
  const peers = peersOfDaemon(flags.offline, process.env)
  if (flags.mount && peers.offline !== undefined) throw new Error('mount is not currently supported in offline mode')
  const log = logOptionsOf(process.env, problem => void stderr.write(`${problem}\n`))
  const loaded = await trustHere(call, say)
  const overrides = overridesOf(flags)
  await checkFlags(flags, overrides)
  const host = await hostFor(flags, loaded, {
    init: await initOptions(flags),
    log,
    settings: settingsOf(flags),
    overrides,
    ...peers
  })
  for (const { name } of catalogue.filter(entry => flagsOf(entry, flags).length > 0)) {
    const { state, reason } = host.plugins().find(plugin => plugin.name === name) ?? {}
    if (state === 'off') say(`the plugin '${name}' is off (${reason}), so that its flags have no effect.`)
  }
  for (const { flag, named, does } of AWAITING) {
    if (flags[flag] !== undefined && flags[flag] !== false) say(`${named}: no plugin of this node serves that yet; ${does}.`)
  }
  const stopped = untilStopped(host, say, stderr)
  let failed = false
  const defects = new Defects({
    host,
    stop() {
      failed = true
      host.shutdown('a plugin failed')
    },
    end(error) {
      stderr.write(`Error: ${stackOf(error) || messageOf(error)}\n`)
      process.exit(1)
    }
  })
  defects.watch()
  // the listener's modules load while the stores open in other threads
  const rpc = import('../../rpc/listener.ts')
  await host.start().catch(error => {
    throw withMending(error, host, folderOf(flags, loaded))
  })
  await serve(host, flags, peers.offline, say, (await rpc).openRpc)
  await sayIfAlone(host, say)
  say('Daemon is ready')
  // for as long as the process lives
  new Scavenger()
  await host.watch()
  tellOfRepo(host)
  const resting = new RestingMemory()
  new IdleCollection({
    beforeCollected: () => host.releaseMemory(),
    onCollected() {
      young.letGrow()
      void resting.giveBack()
    }
  })
  const status = await stopped
  return failed ? 1 : status
}

/** Refuses flags that nothing could work with, before anything is started. */
async function checkFlags({ api }: DaemonFlags, overrides: Readonly<Record<string, string>>): Promise<void> {
  if (api !== undefined) await (await import('../../http/listen/addresses.ts')).listenAddress(api)
  for (const [key, value] of Object.entries(overrides)) {
    const config = nodeConfigModel.write({}, key, value)
    nodeConfigModel.typed(config)
    // routers of one's own stand in the configuration
    const [problem] = value === 'custom' ? [] : await nodeConfigModel.stopping(config)
    if (problem !== undefined) throw problem
  }
}

/** Values of the node configuration for this run only. */
function overridesOf({ gateway, routing }: DaemonFlags): Record<string, string> {
  return {
    ...(gateway !== undefined && { 'Addresses.Gateway': gateway }),
    ...(routing !== undefined && routing !== 'default' && { 'Routing.Type': routing })
  }
}

async function serve(
  host: NodeHost,
  flags: DaemonFlags,
  offline: string | undefined,
  say: (line: string) => void,
  openRpc: typeof import('../../rpc/listener.ts').openRpc
): Promise<void> {
  const repo = repoOf(host)
  try {
    say(`Repo version: ${repo.version}`)
    say(`peer identity: ${repo.identity.peerId}`)
    sayAddresses(host, offline, say)
    // whoever reaches the RPC finds the others too
    const lines: string[] = []
    await listenForPlugins(host, line => lines.push(line))
    const rpc = await openRpc({
      calls: host.calls,
      repo,
      host,
      health: host.health,
      logs: host.logs,
      routes: host.routes('rpc'),
      requestCounts: host.requestCounts,
      origins: process.env['API_ORIGIN'] === undefined ? [] : [process.env['API_ORIGIN']],
      settings: host.configuration.rpc,
      addresses: flags.api === undefined ? undefined : [flags.api],
      unrestricted: flags.unrestrictedApi === true
    })
    host.beforeStop(() => rpc.close())
    const [first] = rpc.addresses
    if (first === undefined) say('RPC API server not listening: Addresses.API names no address. A signal stops this node.')
    else await repo.announce('api', first)
    for (const address of rpc.addresses) {
      say(`RPC API server listening on ${address}`)
      const [, host, port] = TCP.exec(address) ?? []
      if (host !== undefined) say(`WebUI: http://${host.includes(':') ? `[${host}]` : host}:${port}/webui`)
    }
    if (flags.mount) await mountAll(host, flags, say)
    for (const line of lines) say(line)
  } catch (error) {
    await host.stop()
    throw error
  }
}

const TCP = /^\/ip[46]\/([^/]+)\/tcp\/(\d+)/

/** Mounts what the flags say, as the command does. */
async function mountAll(host: NodeHost, { mountIpfs, mountIpns, mountMfs }: DaemonFlags, say: (line: string) => void): Promise<void> {
  const options = { ipfsPath: mountIpfs, ipnsPath: mountIpns, mfsPath: mountMfs }
  const given = Object.fromEntries(Object.entries(options).filter(([, folder]) => folder !== undefined))
  const { IPFS, IPNS, MFS } = (await host.call('mount', { options: given })) as { IPFS: string; IPNS: string; MFS?: string }
  say(`IPFS mounted at: ${IPFS}`)
  say(`IPNS mounted at: ${IPNS}`)
  if (MFS !== undefined) say(`MFS mounted at: ${MFS}`)
}

/** Where peers reach the node, and what they are told. */
function sayAddresses(host: NodeHost, offline: string | undefined, say: (line: string) => void): void {
  const network = host.service(Network)
  if (network === undefined) {
    say('Swarm not listening, running in offline mode.')
    const isOff = host.plugins().some(({ name, state }) => name === 'network' && state === 'off')
    if (isOff) say(`To join the network, ${offline === undefined ? "switch the plugin 'network' on" : `start it without ${offline}`}.`)
    return
  }
  if (network.fingerprint !== undefined) {
    say('Swarm is limited to private network of peers with the swarm key')
    say(`Swarm key fingerprint: ${network.fingerprint}`)
  }
  for (const address of network.listening()) say(`Swarm listening on ${address}`)
  for (const address of network.announced()) say(`Swarm announcing ${address}`)
}

/** Says what to do where a node among peers knows none: the public ones to begin with may be gone. */
async function sayIfAlone(host: NodeHost, say: (line: string) => void): Promise<void> {
  const network = host.service(Network)
  if (network === undefined) return
  const repo = repoOf(host)
  const configured = ['Bootstrap', 'Peering.Peers'].flatMap(key => repo.get<readonly Json[] | null>(key) ?? [])
  if (configured.length > 0 || (await network.peers()).some(({ id }) => id !== network.self)) return
  say('No peer is known: holdfast bootstrap add ADDRESS (and start again), or holdfast swarm connect ADDRESS.')
}

async function listenForPlugins(host: NodeHost, say: (line: string) => void): Promise<void> {
  if (host.listeners().length === 0) return
  const { openPluginListeners } = await import('../../http/listen/plugin-listeners.ts')
  const listeners = await openPluginListeners({
    host,
    logs: host.logs,
    tolerates(plugin, failure) {
      host.logs.get('host').error(failure.message)
      return host.onFailure(plugin) === 'continue'
    }
  })
  for (const { plugin, name, title, addresses, close } of listeners) {
    host.beforeStop(close)
    for (const { url, multiaddr } of addresses) {
      say(
        title === undefined ? `Listener '${name}' of plugin '${plugin}' listening on ${url}` : `${title} server listening on ${multiaddr}`
      )
    }
  }
}

/** The first signal asks the node to stop, a second one does not wait. */
function untilStopped(host: NodeHost, say: (line: string) => void, stderr: Terminal['stderr']): Promise<number> {
  return new Promise(resolve => {
    let asked = false
    const stop = async () => {
      const errors = await host.stop()
      for (const error of errors) stderr.write(`Error: ${messageOf(error)}\n`)
      resolve(errors.length === 0 ? 0 : 1)
    }
    host.onShutdown(() => {
      asked = true
      void stop()
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) {
          say('Received another interrupt before graceful shutdown, terminating...')
          process.exit(255)
        }
        asked = true
        say('\nReceived interrupt signal, shutting down...\n(Hit ctrl-c again to force-shutdown the daemon.)')
        void stop()
      })
    }
  })
}

/** The flags given that are about one plugin. */
function flagsOf({ flags: known = {} }: CatalogueEntry, flags: DaemonFlags): string[] {
  return Object.keys(known).filter(flag => flags[flag] === true || typeof flags[flag] === 'string')
}

/** The settings that a flag stands for: where it is a text, that is their value. */
function settingsOfFlag({ flags: known = {} }: CatalogueEntry, flag: string, value: unknown): Record<string, unknown> {
  const settings = known[flag] ?? {}
  return typeof value === 'string' ? Object.fromEntries(Object.keys(settings).map(name => [name, value])) : settings
}

/** Settings of plugins that flags stand for. */
function settingsOf(flags: DaemonFlags): PluginSettings {
  const ofPlugins = catalogue.map(
    entry => [entry.name, Object.assign({}, ...flagsOf(entry, flags).map(flag => settingsOfFlag(entry, flag, flags[flag])))] as const
  )
  return Object.fromEntries(ofPlugins.filter(([, settings]) => Object.keys(settings).length > 0))
}

async function initOptions(flags: DaemonFlags): Promise<InitOptions | undefined> {
  if (flags.init !== true && flags.initConfig === undefined && flags.initProfile === undefined) return undefined
  return { profiles: profilesOf(flags.initProfile), config: await readConfig(flags.initConfig) }
}

export function profilesOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

/** A node configuration from a file that the user named. */
export async function readConfig(file: string | undefined): Promise<Record<string, Json> | undefined> {
  if (file === undefined) return undefined
  try {
    return parseJsonExactly(withoutMark(decodeUtf8(await readFile(file)))) as Record<string, Json>
  } catch (error) {
    throw new Error(`cannot read the node configuration ${file}: ${messageOf(error)}`)
  }
}
