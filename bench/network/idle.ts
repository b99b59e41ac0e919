/**
 * A node with peers at rest: resident memory some seconds after 256 MiB came from a peer, then memory and the processor's time with 100 connections of
 * peers that want nothing. `node idle.js [SECONDS with the connections, default 60]`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Network } from '../../core/index.ts'
import type { NodeHost } from '../../host/host.ts'
import { lastHash, oneFile } from '../support/node.ts'
import { connect, startOnline } from '../support/online.ts'
import { startPeer } from '../support/peer.ts'
import { MiB, report } from '../support/report.ts'

const SECONDS = Number(process.argv[2] ?? 60)
const SIZE = 256 * MiB
const CONNECTIONS = 100
/** What was taken for a start, a transfer or a connection needs a moment to be given back, in milliseconds. */
const SETTLING = 10_000
/** Between two looks at the memory, in milliseconds. */
const LOOK_EVERY = 1000
/** Resident memory of Kubo 0.42 after such a transfer, in MiB; of 0.28 it is 72. */
const REFERENCE = 88
/** Parts of one core, in percent. Ten minutes take a quarter of it; of one minute most is what follows from the connections that have just been made. */
const AIM = 3

const less = { unit: 'MiB', atMost: 1 } as const

async function afterTransfer(): Promise<void> {
  const [source, sink] = await Promise.all([startOnline(), startOnline()])
  try {
    await connect(sink, source)
    await sleep(SETTLING)
    const before = await sink.memory()
    const root = lastHash(await source.post('add?pin=false', oneFile(SIZE, 5)))
    await sink.post(`cat?arg=${root}`, undefined, () => {})
    await sleep(SETTLING)
    const after = await sink.memory()
    report({ name: 'idle memory after a transfer of 256 MiB against the reference', measured: after, against: REFERENCE, ...less })
    report({ name: 'the same against before it', measured: after, against: before, ...less, atMost: 2 })
    console.log(`memory: ${(await source.memory()).toFixed(0)} MiB at the source`)
  } finally {
    await Promise.all([source.stop(), sink.stop()])
  }
}

async function connected(): Promise<void> {
  const node = await startOnline(undefined, { 'Swarm.ConnMgr': { Type: 'basic', LowWater: 500, HighWater: 1000, GracePeriod: '20s' } })
  const peers: NodeHost[] = []
  try {
    await sleep(SETTLING)
    const before = await node.memory()
    for (let i = 0; i < CONNECTIONS; i++) {
      const peer = await startPeer({}, ['bitswap'])
      peers.push(peer)
      const network = peer.service(Network)!
      await node.post(`swarm/connect?arg=${encodeURIComponent(`${network.announced()[0]}/p2p/${network.self}`)}`)
    }
    await sleep(SETTLING)
    const cpu = await node.cpu()
    const began = performance.now()
    let most = 0
    while (performance.now() - began < SECONDS * 1000) {
      await sleep(LOOK_EVERY)
      most = Math.max(most, await node.memory())
    }
    const used = ((await node.cpu()) - cpu) / ((performance.now() - began) / 1000)
    const { Peers } = JSON.parse(await node.post('swarm/peers')) as { Peers: unknown[] }
    if (Peers.length !== CONNECTIONS) throw new Error(`${Peers.length} peers are left of ${CONNECTIONS}`)
    const of = `with ${CONNECTIONS} connections for ${SECONDS} s`
    report({ name: `most memory ${of} against without any`, measured: most, against: before, ...less, atMost: 1.5 })
    report({ name: `the processor ${of} against the aim`, measured: Math.max(0.01, used * 100), against: AIM, ...less, unit: '%' })
  } finally {
    await node.stop()
    await Promise.all(peers.map(peer => peer.stop()))
  }
}

await afterTransfer()
await connected()
process.exit()
