/**
 * Nothing that this project's tests, tours and scripts start talks to another machine, and a node that is told to stay alone does not. The guard
 * stands below Node.js and its native libraries, so that QUIC and the look-ups of the C library are seen as well.
 */
import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { commandLine } from '../helpers/process/command-line.ts'
import { type Daemon, type LaunchOptions, launchDaemon } from '../helpers/process/daemon.ts'
import { preload, withLibrary } from '../helpers/process/preload.ts'
import { until } from '../helpers/until.ts'

const guard = preload(fileURLToPath(new URL('../../../test/guard/guard.c', import.meta.url)))
const guarded = (title: string, run: (t: ExecutionContext) => Promise<void>) => withLibrary(guard, title, run)

/** A peer of a network that is for documentation alone (RFC 5737). */
const ELSEWHERE = '/ip4/192.0.2.1/tcp/4001/p2p/12D3KooWKnvHSn3i1zqBMqKbio59VfuQbAFPfrngk8mahHkupG6U'

interface Guarded {
  readonly daemon: Daemon
  /** What was refused so far. */
  refused(): string[]
}

/** A node of a new repo, whose configuration is as `init` makes it but for `values`. */
async function start(
  t: ExecutionContext,
  options: LaunchOptions & { plugins?: object },
  values: Record<string, unknown> = {}
): Promise<Guarded> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  t.is((await commandLine(['--repo', repo, 'init'], { cwd: folder })).code, 0)
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8'))
  t.true(config.Bootstrap.length > 0 && config.Discovery.MDNS.Enabled, 'what is to be stopped is configured')
  for (const [key, value] of Object.entries(values)) {
    const names = key.split('.')
    const last = names.pop()!
    names.reduce((at, name) => (at[name] ??= {}), config)[last] = value
  }
  await writeFile(file, JSON.stringify(config))
  const composition = join(folder, 'holdfast.config.json')
  await writeFile(composition, JSON.stringify({ plugins: options.plugins ?? {} }), { mode: 0o600 })
  const log = join(folder, 'refused')
  const launched = launchDaemon(repo, {
    ...options,
    globalArgs: ['--config', composition],
    env: { LD_PRELOAD: (guard as { library: string }).library, GUARD_LOG: log, ...options.env }
  })
  t.teardown(() => launched.kill())
  const refused = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  return { daemon: await launched.ready, refused }
}

/** Asks for what a node with peers would look for elsewhere. */
async function askForMore({ url }: Daemon): Promise<void> {
  const ask = async (path: string) => (await fetch(`${url}/api/v0/${path}`, { method: 'POST' })).arrayBuffer()
  await ask('cat?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy&timeout=300ms')
  await ask('name/resolve?arg=k51qzi5uqu5dkkciu33khkzbcmxtyhn376i1e83tya8kuy7z9euedzyr5nhoew&timeout=300ms')
  await ask('routing/findprovs?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy&timeout=300ms')
  await ask(`swarm/connect?arg=${ELSEWHERE}&timeout=300ms`)
}

/** With these a node that has joined stays on this machine. */
const ON_LOOPBACK = {
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/udp/0/quic-v1'],
  'Discovery.MDNS.Enabled': false,
  'Swarm.DisableNatPortMap': true,
  'Routing.Type': 'none'
}

const ALONE: ReadonlyArray<readonly [how: string, options: LaunchOptions & { plugins?: object }, says: RegExp]> = [
  ['--offline', { args: [], plugins: { network: 'on' } }, /^To join the network, start it without --offline\.$/m],
  [
    'HOLDFAST_OFFLINE=1',
    { online: true, env: { HOLDFAST_OFFLINE: '1' }, plugins: { network: 'on' } },
    /^To join the network, start it without HOLDFAST_OFFLINE\.$/m
  ],
  ['the plugin network off', { online: true, plugins: { network: 'off' } }, /^To join the network, switch the plugin 'network' on\.$/m]
]

for (const [how, options, says] of ALONE) {
  guarded(`with ${how} a node whose configuration is as it was made talks to nobody, and says what joins`, async t => {
    const { daemon, refused } = await start(t, options)
    t.regex(daemon.output(), says)
    await askForMore(daemon)
    t.is(await daemon.stop(), 0)
    t.deepEqual(refused(), [])
  })
}

guarded('a daemon joins unless it is told otherwise: on loopback alone, where its configuration says so', async t => {
  const { daemon, refused } = await start(t, { online: true }, { ...ON_LOOPBACK, Bootstrap: [] })
  t.regex(daemon.output(), /^Swarm listening on \/ip4\/127\.0\.0\.1\/tcp\/\d+/m)
  t.regex(daemon.output(), /^No peer is known: /m)
  await fetch(`${daemon.url}/api/v0/cat?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy&timeout=300ms`, { method: 'POST' })
  t.is(await daemon.stop(), 0)
  t.deepEqual(refused(), [])
})

guarded('the guard sees what would leave: a peer to begin with, over TCP and QUIC, and a look-up', async t => {
  const quic = ELSEWHERE.replace('tcp/4001', 'udp/4001/quic-v1')
  const { daemon, refused } = await start(t, { online: true }, { ...ON_LOOPBACK, Bootstrap: [ELSEWHERE, quic] })
  await until('the guard refuses both', () => refused().includes('connect 192.0.2.1:4001') && refused().includes('send 192.0.2.1:4001'))
  const named = '/dns4/peer.invalid/tcp/4001/p2p/12D3KooWKnvHSn3i1zqBMqKbio59VfuQbAFPfrngk8mahHkupG6U'
  await (await fetch(`${daemon.url}/api/v0/swarm/connect?arg=${named}&timeout=5s`, { method: 'POST' })).arrayBuffer()
  t.true(
    refused().some(line => line.includes('peer.invalid') || /:53$/.test(line)),
    refused().join('; ')
  )
  await daemon.stop()
})
