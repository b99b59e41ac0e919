/** What a node among nodes has acknowledged is there after `kill -9`, and nothing older is told to peers after it. */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { Names, Pubsub } from '../../core/index.ts'
import { readRecord } from '../../core/ipns/index.ts'
import { type Daemon, launchDaemon } from '../helpers/daemon.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type OnlineNode, onlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'
import { lines, post } from './support/rpc.ts'

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 12)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const TOPIC = 'uY3Jhc2g'

/** The path that the name leads to after so many publications. */
const pathOf = (count: number) => `/ipfs/${CID.createV1(0x55, identity.digest(Buffer.from(`publication ${count}`)))}`
const countOf = (path: string) =>
  Number(/^publication (\d+)$/.exec(Buffer.from(CID.parse(path.slice('/ipfs/'.length)).multihash.digest).toString())?.[1])

/** Numbers from 0 to 1 that a seed gives (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A repo whose node talks to nobody but whom it is told to, with all that runs over the network switched on. */
async function newRepo(t: ExecutionContext): Promise<{ repo: string; peer: string; composition: string }> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await (await launchDaemon(repo).ready).stop()
  const file = join(repo, 'config')
  const config = JSON.parse(await readFile(file, 'utf8'))
  config.Addresses.Swarm = ['/ip4/127.0.0.1/tcp/0']
  config.Bootstrap = []
  config.Discovery.MDNS.Enabled = false
  config.Routing = { Type: 'dht' }
  config.Swarm.DisableNatPortMap = true
  config.Ipns.UsePubsub = true
  config.Pubsub.Enabled = true
  config.Experimental.Libp2pStreamMounting = true
  await writeFile(file, JSON.stringify(config))
  const composition = join(folder, 'network.json')
  await writeFile(composition, JSON.stringify({ plugins: { network: 'on' } }))
  return { repo, peer: config.Identity.PeerID, composition }
}

/** Calls one after the other until the node is gone. @returns when it is */
async function callsOf(call: (count: number) => Promise<void>): Promise<void> {
  for (let count = 0; ; count++) {
    try {
      await call(count)
    } catch (error) {
      // what `fetch` throws where nobody answers any more
      if (error instanceof TypeError) return
      throw error
    }
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  return once(socket, 'connect').then(
    () => {
      socket.destroy()
      return true
    },
    () => false
  )
}

const forwards = async ({ url }: Daemon) =>
  (JSON.parse(await post(url, 'p2p/ls')) as { Listeners: ReadonlyArray<{ ListenAddress: string }> | null }).Listeners ?? []

/** The sequence number of the record that a node knows of a name. */
async function sequenceAt({ host }: OnlineNode, name: string): Promise<bigint> {
  const record = await host.service(Names)!.record(name)
  return record === undefined ? -1n : readRecord(record).sequence!
}

test(`${ROUNDS} times kill -9 while a node publishes names, speaks and forwards loses no name, tells nothing older and leaves no listener`, async t => {
  t.timeout(60_000 + ROUNDS * 60_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often)`)
  const random = randomOf(SEED)
  const { repo, peer, composition } = await newRepo(t)
  const friend = await onlineNode(t, {
    node: { 'Ipns.UsePubsub': true, 'Experimental.Libp2pStreamMounting': true },
    on: { gossipsub: { enabled: true } }
  })
  let [published, acknowledged, heard, messages] = [0, 0, -1n, 0]
  const subscription = await friend.host.service(Pubsub)!.subscribe('crash')
  void (async () => {
    for await (const _ of subscription) messages++
  })().catch(() => {})
  for (let round = 0; round < ROUNDS; round++) {
    const daemon = await launchDaemon(repo, { online: true, globalArgs: ['--config', composition] }).ready
    t.teardown(() => daemon.kill())
    t.deepEqual(await forwards(daemon), [], 'nothing is forwarded that nobody asked this node for')
    await post(daemon.url, `swarm/connect?arg=${friend.addresses()[0]}`)
    if (acknowledged > 0) {
      const { Path } = lines<{ Path: string }>(await post(daemon.url, `name/resolve?arg=${peer}&offline=true&nocache=true`)).at(-1)!
      t.true(countOf(Path) >= acknowledged, `round ${round}: ${countOf(Path)} of ${acknowledged}`)
      await post(daemon.url, `name/publish?arg=${pathOf(++published)}&resolve=false`)
      acknowledged = published
      const next = await until('the friend hears of it', async () => {
        const sequence = await sequenceAt(friend, peer)
        return sequence > heard ? sequence : undefined
      })
      heard = next
    }
    const ports: number[] = []
    const work = [
      callsOf(async () => {
        const count = ++published
        await post(daemon.url, `name/publish?arg=${pathOf(count)}&resolve=false`)
        acknowledged = count
      }),
      callsOf(async count => {
        await post(daemon.url, `p2p/listen?arg=/x/crash-${count}&arg=/ip4/127.0.0.1/tcp/9`)
        await post(daemon.url, `p2p/forward?arg=/x/crash&arg=/ip4/127.0.0.1/tcp/0&arg=/p2p/${friend.network.self}`)
        ports.push(
          ...(await forwards(daemon)).flatMap(({ ListenAddress }) => Number(/^\/ip4\/.*\/tcp\/(\d+)$/.exec(ListenAddress)?.[1] ?? []))
        )
        await setTimeout(20)
      }),
      callsOf(async count => {
        await post(daemon.url, `pubsub/pub?arg=${TOPIC}`, [['data', Buffer.from(`message ${count}`)]])
      })
    ]
    await until('a publication is acknowledged', () => acknowledged > 0 && ports.length > 0)
    await setTimeout(random() * 400)
    await daemon.kill()
    await Promise.all(work)
    heard = await sequenceAt(friend, peer).then(sequence => (sequence > heard ? sequence : heard))
    for (const port of new Set(ports)) t.false(await isOpen(port), `port ${port}`)
  }
  t.log(`${acknowledged} publications of ${published} acknowledged, ${messages} messages`)
  t.true(messages > 0)
})
