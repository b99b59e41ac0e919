/**
 * Content from a peer on this machine, each in a process of its own: a large file and many small ones against adding the same to a node of its own
 * in the same run, and the time to the first byte against a call that does nothing. Limits are about half as good as what a machine at rest does:
 * both nodes and the client share its cores.
 */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { benchFolder, manyFiles, oneFile, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const size = 256 * MiB
const FILES = 2000
const SMALL = 21

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

const composition = join(await benchFolder(), 'holdfast.config.json')
await writeFile(composition, JSON.stringify({ plugins: { network: 'on', bitswap: 'on' } }), { mode: 0o600 })

const alone = {
  Bootstrap: [],
  'Discovery.MDNS.Enabled': false,
  'Swarm.DisableNatPortMap': true,
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0']
}
const [source, sink] = await Promise.all([1, 2].map(() => startNode(undefined, { online: composition, node: alone })))
if (source === undefined || sink === undefined) throw new Error('two nodes are needed')

const lastHash = (lines: string) => (JSON.parse(lines.trim().split('\n').at(-1)!) as { Hash: string }).Hash

try {
  const { Addresses } = JSON.parse(await source.post('id')) as { Addresses: string[] }
  await sink.post(`swarm/connect?arg=${encodeURIComponent(Addresses[0]!)}`)

  let hash = ''
  const adding = await seconds(async () => {
    hash = lastHash(await source.post('add?pin=false', oneFile(size, 5)))
  })
  let bytes = 0
  const fetching = await seconds(() =>
    sink.post(`cat?arg=${hash}`, undefined, chunk => {
      bytes += chunk.length
    })
  )
  if (bytes !== size) throw new Error(`cat sent ${bytes} bytes`)
  report({
    name: 'cat of 256 MiB from a peer against adding them',
    measured: size / MiB / fetching,
    against: size / MiB / adding,
    unit: 'MiB/s',
    limit: 0.15,
    better: 'more'
  })

  let root = ''
  const addingMany = await seconds(async () => {
    root = lastHash(await source.post('add?pin=false', manyFiles(FILES)))
  })
  const pinning = await seconds(() => sink.post(`pin/add?arg=${root}`))
  report({
    name: `pin/add of ${FILES} small files from a peer against adding them`,
    measured: FILES / pinning,
    against: FILES / addingMany,
    unit: 'files/s',
    limit: 0.8,
    better: 'more'
  })

  // in turn, and each file a new one; the median, as a single one is the machine's doing
  const [calls, firstBytes]: [number[], number[]] = [[], []]
  for (let i = 0; i < SMALL; i++) {
    const small = lastHash(await source.post('add?pin=false', oneFile(1000, 9000 + i)))
    calls.push(await seconds(() => sink.post('version')))
    firstBytes.push(await seconds(() => sink.post(`cat?arg=${small}`)))
  }
  report({
    name: 'a small file from a peer against a call that does nothing',
    measured: median(firstBytes) * 1000,
    against: median(calls) * 1000,
    unit: 'ms',
    limit: 8,
    better: 'less'
  })
  console.log(`memory: ${(await source.memory()).toFixed(0)} MiB at the source, ${(await sink.memory()).toFixed(0)} MiB at the sink`)
} finally {
  await Promise.all([source.stop(), sink.stop()])
}
