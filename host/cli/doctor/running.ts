import { readFile } from 'node:fs/promises'
import { createServer, type ListenOptions } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import type { HealthReport } from '../../../core/health-report.ts'
import type { NodeConfig, PluginState } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import { listenAddress } from '../../http/listen/addresses.ts'
import { Trial } from '../../http/listen/trial.ts'
import type { PlannedListener } from '../../plugins/compose/declarations.ts'
import type { Invocation } from '../line/invocation.ts'
import { GET_BACK } from '../node/wholeness.ts'
import type { ApiAddress } from '../remote/address.ts'
import { addressInRepo } from '../remote/api-file.ts'
import { Remote } from '../remote/remote.ts'
import { COLLECT, type Finding, ok, warning, wrong } from './finding.ts'

/** How long a node that answers may take for what it is asked, in milliseconds. */
const PATIENCE = 10_000

/** Whether a node works on this repo, and answers. */
export async function lookAtNode(
  path: string,
  { terminal }: Pick<Invocation, 'terminal'>
): Promise<{ running: boolean; findings: Finding[] }> {
  let target: ApiAddress | undefined
  try {
    target = await addressInRepo(path)
  } catch (error) {
    return {
      running: false,
      findings: [wrong('lock', error, 'Start the node again, which writes the file anew, or name the node: --api ADDRESS')]
    }
  }
  const address = target?.text
  const pid = await holder(path)
  if (target !== undefined && (await answers(target, terminal.interrupts()))) {
    return {
      running: true,
      findings: [
        ok('lock', `a node${pid === undefined ? '' : ` (process ${pid})`} works on the repo and answers at ${address}`),
        ...(await lookAtPlugins(target, terminal.interrupts())),
        ...(await lookAtKept(target, terminal.interrupts())),
        ...(await lookAtFaults(target, terminal.interrupts())),
        ...(await lookAtPeers(target, terminal.interrupts())),
        ...(await lookAtReachability(target, terminal.interrupts()))
      ]
    }
  }
  if (pid !== undefined) {
    const remedy = `Wait until it has started or stopped; if it hangs: kill ${pid}`
    return { running: true, findings: [wrong('lock', `process ${pid} has the repo, but answers no RPC`, remedy)] }
  }
  if (address !== undefined) {
    const about = `the repo names an RPC at ${address}, where nobody answers: its node did not end in peace`
    return { running: false, findings: [warning('lock', about, 'The next node takes it away: holdfast daemon')] }
  }
  return { running: false, findings: [ok('lock', 'nobody works on the repo')] }
}

async function answers(address: ApiAddress, signal: AbortSignal): Promise<boolean> {
  try {
    await new Remote(address).get('/plugins', AbortSignal.any([signal, AbortSignal.timeout(2000)]))
    return true
  } catch (error) {
    // a node that refuses to tell is there all the same
    return (error as { code?: string }).code === 'E_API_ANSWER'
  }
}

/** The plugins that failed in a node that goes on without them. */
async function lookAtPlugins(address: ApiAddress, signal: AbortSignal): Promise<Finding[]> {
  try {
    const states = (await new Remote(address).get('/plugins', AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]))) as PluginState[]
    return states
      .filter(({ state }) => state === 'failed')
      .map(({ name, reason }) =>
        warning('plugins', `the plugin '${name}' failed in the node that runs: ${reason}`, 'Mend that, or take it out.')
      )
  } catch {
    return []
  }
}

/** Whether a node can read the root of its mutable tree, and is within its limit. One that does not tell is not looked at. */
async function lookAtKept(address: ApiAddress, signal: AbortSignal): Promise<Finding[]> {
  const ask = (path: string) => new Remote(address).post(path, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]))
  const found: Finding[] = []
  const stat = (await ask('/api/v0/repo/stat?size-only=true').catch(() => ({}))) as { Warning?: string }
  if (stat.Warning !== undefined) found.push(warning('space', stat.Warning, COLLECT))
  const refused = await ask('/api/v0/files/stat?arg=/&offline=true').then(() => undefined, messageOf)
  if (refused?.endsWith('status 500') === true) found.push(wrong('kept', 'the node cannot read the root of its mutable tree', GET_BACK))
  return found
}

/** What a node says keeps it from its work. One of an older version tells nothing. */
async function lookAtFaults(address: ApiAddress, signal: AbortSignal): Promise<Finding[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)])
  const report = (await new Remote(address).get('/ready', limited, [200, 503]).catch(() => undefined)) as HealthReport | undefined
  if (report?.status === 'ok') return [ok('store', 'the node stores what it is given')]
  return (report?.faults ?? []).map(({ fault, about, reason }) =>
    wrong('store', reason === undefined ? about : `${about}: ${reason}`, REMEDIES[fault] ?? 'Its log says more.')
  )
}

const REMEDIES: Readonly<Record<string, string>> = {
  'store-writes': 'Mend what it says; the node tries again from time to time. Should that not help, start it again.',
  'store-blocks': 'Add the blocks again, or start the node again, which drops them. Then look at the disk.',
  'store-space': 'Make room: remove files, or unpin content and run holdfast repo gc.'
}

/** Whether a node that is online has peers. One that is offline, or does not tell, is not looked at. */
async function lookAtPeers(address: ApiAddress, signal: AbortSignal): Promise<Finding[]> {
  try {
    const answer = await new Remote(address).post('/api/v0/swarm/peers', AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]))
    const { Peers } = answer as { Peers: readonly { readonly Peer: string }[] | null }
    const count = new Set(Peers?.map(({ Peer }) => Peer)).size
    if (count > 0) return [ok('peers', `it is connected with ${count} ${count === 1 ? 'peer' : 'peers'}`)]
    const remedy =
      'Name some: holdfast bootstrap add ADDRESS, holdfast swarm connect ADDRESS. With some in the list, look at firewalls and swarm.key.'
    return [warning('peers', 'it is online and connected with nobody', remedy)]
  } catch {
    return []
  }
}

/** Whether peers beyond the own network reach a node that is online: what AutoNAT has found out. */
async function lookAtReachability(address: ApiAddress, signal: AbortSignal): Promise<Finding[]> {
  try {
    const answer = await new Remote(address).post('/api/v0/swarm/addrs/autonat', AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]))
    const { reachability } = answer as { reachability: 'Public' | 'Private' | 'Unknown' }
    if (reachability === 'Unknown') return [ok('reachability', 'no peer has told yet whether it reaches the node from beyond its network')]
    if (reachability === 'Public') return [ok('reachability', 'peers reach the node from beyond its network')]
    const remedy = 'Have the router hand the ports of Addresses.Swarm on to this machine, or name relays: Swarm.RelayClient.StaticRelays.'
    return [warning('reachability', 'peers do not reach the node from beyond its network', remedy)]
  } catch {
    return []
  }
}

/** The living process that the lock names. A later one that was given its number does not count, where the system tells them apart. */
async function holder(path: string): Promise<number | undefined> {
  try {
    const { pid, started = '' } = JSON.parse(await readFile(join(path, repoFiles.lock), 'utf8')) as { pid?: unknown; started?: string }
    if (typeof pid !== 'number' || !isAlive(pid)) return undefined
    const fields = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const since = fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19]
    return since === undefined || started === '' || since === started ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A plugin's listener, and whether the host goes on where it does not open. */
interface Listening extends PlannedListener {
  readonly isVital: boolean
}

const CHOOSE = 'Stop that program, or choose another address'

/** Whether the addresses of the configuration can be listened on, and those of plugins beside them. */
export async function lookAtPorts(
  config: NodeConfig | undefined,
  configured: string | undefined,
  listeners: readonly Listening[]
): Promise<Finding[]> {
  const found: Finding[] = []
  const trial = new Trial()
  for (const text of configured === undefined ? addressesOf(config ?? {}) : [configured]) {
    try {
      const address = await listenAddress(text)
      await ('path' in address.listen ? tryListening(address.listen) : trial.open(address))
      found.push(ok('ports', `${text} is free`))
    } catch (error) {
      const taken = /EADDRINUSE/.test(messageOf(error))
      const about = taken ? `another program listens on ${text}` : messageOf(error)
      found.push(wrong('ports', about, `${CHOOSE}: Addresses.API in the repo, or holdfast daemon --api.`))
    }
  }
  for (const listener of listeners) {
    const { plugin, name, isVital } = listener
    try {
      await trial.openPlanned(listener)
      found.push(ok('ports', `the listener '${name}' of plugin '${plugin}' can open`))
    } catch (error) {
      found.push((isVital ? wrong : warning)('ports', messageOf(error), `${CHOOSE} in the settings of the plugin.`))
    }
  }
  await trial.close()
  return found
}

function addressesOf({ Addresses }: NodeConfig): string[] {
  const { API } = (Addresses ?? {}) as { API?: string | readonly string[] | null }
  return API === undefined || API === null ? [] : typeof API === 'string' ? [API] : [...API]
}

function tryListening(where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(where, () => server.close(() => resolve()))
  })
}
