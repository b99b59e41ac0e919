import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { type Json, Network, type NodeConfig, type PeerStream } from '../../core/index.ts'
import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'
import type { TestHostOptions } from '../../host/testing.ts'
import { gathered } from './streams.ts'
import { until } from './until.ts'

/** A node that talks to nobody but whom it is told to, on a free port of this machine. */
export interface OnlineNode {
  readonly host: NodeHost
  readonly network: Network
  /** Addresses with its ID at their end. */
  addresses(): string[]
}

interface OnlineOptions {
  /** Values of the node configuration, by dotted keys. */
  readonly node?: Readonly<Record<string, Json>>
  /** What the file of a new repo says besides, for what only the file can say. */
  readonly file?: NodeConfig
  /** Settings of the plugin `network`. */
  readonly network?: Readonly<Record<string, unknown>>
  readonly plugins?: TestHostOptions['plugins']
  /** The folder of its repo. Default: it is kept in memory. */
  readonly repo?: string
  readonly on?: Readonly<Record<string, 'on' | 'off' | Readonly<Record<string, unknown>>>>
}

/** Starts such a node, and stops it when the test ends. */
export async function onlineNode(
  t: ExecutionContext,
  { node = {}, file, network = {}, plugins, repo, on = {} }: OnlineOptions = {}
): Promise<OnlineNode> {
  const host = await createHost({
    plugins,
    configuration: {
      plugins: { network: { ...PATIENT, ...network }, 'storage-rocksdb': 'off', 'storage-memory': 'on', ...on },
      rpc: { checkReplies: true }
    },
    // others may have the machine
    patience: 120_000,
    repo: { path: repo, init: { config: file }, overrides: { ...ALONE, ...node } }
  })
  t.teardown(async () => void (await host.stop()))
  await host.start()
  const service = host.service(Network)!
  return { host, network: service, addresses: () => service.announced().map(address => `${address}/p2p/${service.self}`) }
}

/** Others may have the machine while peers talk. */
const PATIENT = { dialTimeoutPrivate: 30_000, dialTimeout: 30_000, negotiationTimeout: 30_000 }

/** A node configuration with which a node looks for nobody. */
const ALONE = {
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'],
  Bootstrap: [],
  'Discovery.MDNS.Enabled': false,
  // no delegated router: nobody beyond this machine is asked
  'Routing.Type': 'dht',
  'Swarm.DisableNatPortMap': true
}

/** More than the two sides of a stream hold. */
const TOTAL = 40_000_000

/** A writer of one node that waits while a handler of the other does not read, and whose octets all arrive once it does. */
export async function waitsForReader(t: ExecutionContext, a: OnlineNode, b: OnlineNode, addresses: readonly string[]): Promise<void> {
  const reading = Promise.withResolvers<void>()
  let received = 0
  await b.network.handle('/x/slow', async stream => {
    await reading.promise
    for await (const part of stream) received += part.length
  })
  await a.network.dial(b.network.self, addresses)
  const stream = await a.network.open(b.network.self, '/x/slow')
  let written = 0
  const writing = (async () => {
    for (; written < TOTAL; written += 100_000) await stream.write(new Uint8Array(100_000))
    await stream.end()
  })()
  let before = -1
  await until('the writer waits', () => {
    const rests = written === before && written > 0
    before = written
    return rests
  })
  t.true(written < TOTAL / 2, `${written} octets were taken although nobody read`)
  reading.resolve()
  await writing
  await until('everything arrives', () => received === TOTAL)
}

/** Octets come back over a stream to a node that sends back what it gets, more than the two sides hold, and its end is seen. */
export async function comesBack(t: ExecutionContext, stream: PeerStream): Promise<void> {
  const sent = randomBytes(6_000_000)
  const received = gathered(stream)
  for (let at = 0; at < sent.length; at += 100_000) await stream.write(sent.subarray(at, at + 100_000))
  await stream.end()
  t.true(sent.equals(await received))
}
