/** What is measured of a pair of nodes, or of one among many. Each time the nodes are new. */

import { until } from '../../test/helpers/until.ts'
import { chain, file } from '../../test/interop/nodes/content.ts'
import { over } from '../../test/interop/nodes/over.ts'
import { Peer, type Program, type Setup, type Transport } from '../../test/interop/nodes/peer.ts'
import { manyFiles, oneFile } from '../support/node.ts'
import { MiB, median, seconds } from '../support/report.ts'
import { addByCommandLine } from './command-line.ts'
import { startWay } from './delay.ts'
import { silent } from './silent.ts'

export interface Conditions {
  /** Each way, in milliseconds. */
  readonly delay: number
  /** How many have what is fetched. */
  readonly sources: number
  /** Of the large file, in MiB. */
  readonly size: number
  /** How long nodes rest before their memory is looked at, in seconds. */
  readonly rest: number
}

/** By what they are, with their unit behind a comma. */
export type Figures = Record<string, number>

export interface Row {
  /** Whether it is of two programs, who has something and who wants it; or of one. */
  readonly of: 'pair' | 'one'
  run(source: Program, sink: Program, conditions: Conditions): Promise<Figures>
}

const FILES = 2000
const LINKS = 500
/** The silent addresses before the good one. */
const SILENT = [0, 1, 2, 3, 6]
const PEERS = 12
const NAMES = 5
const CATS = 20
/** Where loopback is the network that a DHT is of. */
const DHT = { 'Routing.Type': 'dht' }

let seed = 0

const rest = (s: number) => new Promise(resolve => setTimeout(resolve, s * 1000))

/** A new pair, or more than one source, that are connected over a transport alone. `work` gets what all sources were told to add. */
async function withPair<T>(
  [source, sink]: readonly [Program, Program],
  transport: Transport,
  { delay, sources }: Conditions,
  add: (source: Peer) => Promise<string>,
  work: (sink: Peer, root: string) => Promise<T>
): Promise<T> {
  const way = startWay(delay)
  const [client, ...servers] = await Promise.all(
    [sink, ...Array<Program>(sources).fill(source)].map(one => Peer.start(one, over(transport)))
  )
  try {
    let root = ''
    for (const server of servers) root = await add(server)
    for (const server of servers) await client!.dial(await way.to(server.address(transport)))
    return await work(client!, root)
  } finally {
    await Promise.all([client!, ...servers].map(peer => peer.close()))
    way.close()
  }
}

function fetching(transport: Transport): Row {
  return {
    of: 'pair',
    run(source, sink, conditions) {
      const { size } = conditions
      const file = ++seed
      return withPair(
        [source, sink],
        transport,
        conditions,
        peer => peer.add(oneFile(size * MiB, file), '&pin=false'),
        async (client, root) => {
          const taken = await seconds(async () => {
            const got = await client.digest(`cat?arg=${root}&timeout=3m`)
            if (got.size !== size * MiB) throw new Error(`${got.size} octets came`)
          })
          await rest(10)
          return {
            [`${size} MiB over ${transport}, MiB/s`]: size / taken,
            [`memory 10 s after ${size} MiB over ${transport}, MiB`]: await client.memory()
          }
        }
      )
    }
  }
}

/** The small ones are fetched by what walks a graph whole. */
function walking(
  name: string,
  count: number,
  command: string,
  add: (peer: Peer, seed: number) => Promise<string>,
  transport: Transport = 'tcp'
): Row {
  return {
    of: 'pair',
    run(source, sink, conditions) {
      const one = ++seed
      return withPair(
        [source, sink],
        transport,
        conditions,
        peer => add(peer, one),
        async (client, root) => ({
          [`${name}, /s`]: count / (await seconds(() => client.digest(`${command}?arg=${root}&timeout=2m`)))
        })
      )
    }
  }
}

/** The first of a connection, before which neither program has done any of it, and the middle of those after it. */
const catting: Row = {
  of: 'pair',
  run(source, sink, conditions) {
    const files = Array.from({ length: 1 + CATS }, () => file(Buffer.from(`${++seed} `.padEnd(70, 'x'))))
    const roots: string[] = []
    return withPair(
      [source, sink],
      'tcp',
      conditions,
      async peer => {
        roots.length = 0
        for (const one of files) roots.push(await peer.add(one))
        return roots[0]!
      },
      async client => {
        const taken: number[] = []
        for (const root of roots) taken.push(1000 * (await seconds(() => client.digest(`cat?arg=${root}&timeout=30s`))))
        const [first, ...others] = taken
        return { 'the first cat of 70 octets, ms': first!, 'cat of 70 octets, ms': median(others) }
      }
    )
  }
}

/** A target for each dial, as who has met a peer remembers where it was silent. */
const dialling: Row = {
  of: 'one',
  async run(_, program) {
    const figures: Figures = {}
    const dialler = await Peer.start(program)
    try {
      for (const kind of ['tcp', 'quic', 'ws'] as const) {
        for (const count of SILENT) {
          if (count === 0 && kind !== 'tcp') continue
          const target = await Peer.start('0.42', over('tcp'))
          const dead = await silent(kind, count)
          try {
            const addresses = [...dead.addresses.map(address => `${address}/p2p/${target.id}`), target.address('tcp')]
            const query = addresses.map(address => `arg=${encodeURIComponent(address)}`).join('&')
            const began = performance.now()
            const failed = await dialler.ask(`swarm/connect?${query}`).then(
              () => false,
              () => true
            )
            const name = count === 0 ? 'a dial' : `a dial after ${count} silent of ${kind}`
            figures[`${name}, ms`] = failed ? Number.NaN : performance.now() - began
          } finally {
            await Promise.all([dead.close(), target.close()])
          }
        }
      }
      return figures
    } finally {
      await dialler.close()
    }
  }
}

/** A node, and eleven others. */
async function withNetwork<T>(one: Program, others: Program, setup: Setup, work: (node: Peer, others: Peer[]) => Promise<T>): Promise<T> {
  const peers: Peer[] = []
  try {
    for (let i = 0; i < PEERS; i++) peers.push(await Peer.start(i === 0 ? one : others, setup))
    return await work(peers[0]!, peers.slice(1))
  } finally {
    await Promise.all(peers.map(peer => peer.close()))
  }
}

/** How many peers stand in the table of the own network. */
async function tableOf(peer: Peer): Promise<number> {
  const { Buckets } = await peer.json<{ Buckets: ReadonlyArray<{ Peers: readonly unknown[] | null }> | null }>('stats/dht?arg=lan')
  return (Buckets ?? []).reduce((sum, { Peers }) => sum + (Peers?.length ?? 0), 0)
}

function resolving(name: string, others: (program: Program) => Program): Row {
  return {
    of: 'one',
    run: (_, program) =>
      // who resolves comes last, so that no record lies with it
      withNetwork(program, others(program), { config: DHT }, async (node, [first, ...more]) => {
        for (const peer of more) await peer.connect(first!)
        for (const peer of [first!, ...more]) await until('there are peers in the table', async () => (await tableOf(peer)) > 0)
        await rest(3)
        const publishers = more.slice(0, NAMES)
        for (const publisher of publishers) await publisher.ask('name/publish?arg=/ipfs/bafkqaaa&resolve=false')
        await node.connect(first!)
        await until('there are peers in the table', async () => (await tableOf(node)) > 0)
        await rest(1)
        const taken: number[] = []
        for (const { id } of publishers) taken.push(1000 * (await seconds(() => node.ask(`name/resolve?arg=${id}&nocache=true`))))
        return { [`name/resolve${name}, ms`]: median(taken) }
      })
  }
}

const resting: Row = {
  of: 'one',
  async run(_, program, conditions) {
    const last = await Peer.start('0.42', { config: DHT })
    try {
      return await withNetwork(program, '0.42', { config: DHT }, async (node, others) => {
        for (const peer of [...others, last]) await peer.connect(node)
        await rest(conditions.rest)
        return { 'memory with 12 peers at rest, MiB': await node.memory() }
      })
    } finally {
      await last.close()
    }
  }
}

const adding: Row = {
  of: 'one',
  async run(_, program) {
    const node = await Peer.start(program)
    try {
      return await addByCommandLine(node, ++seed)
    } finally {
      await node.close()
    }
  }
}

export const ROWS: Readonly<Record<string, Row>> = {
  'fetch-tcp': fetching('tcp'),
  'fetch-quic': fetching('quic'),
  'fetch-ws': fetching('ws'),
  'small-files': walking('small files by pin/add', FILES, 'pin/add', (peer, of) => peer.add(manyFiles(FILES, of), '&pin=false')),
  'small-files-get': walking('small files by get', FILES, 'get', (peer, of) => peer.add(manyFiles(FILES, of), '&pin=false')),
  'small-files-quic': walking(
    'small files by pin/add over quic',
    FILES,
    'pin/add',
    (peer, of) => peer.add(manyFiles(FILES, of), '&pin=false'),
    'quic'
  ),
  chain: walking('nodes of a chain', LINKS, 'pin/add', (peer, of) => chain(peer, LINKS, of)),
  cat: catting,
  dial: dialling,
  resolve: resolving(' among 12, the others Kubo 0.42', () => '0.42'),
  'resolve-own': resolving(' among 12 of a kind', program => program),
  memory: resting,
  'command-line': adding
}
