/**
 * By how much resident memory grows while clients ask for a file of 200 MiB and read nothing, and what of that is left 10 s after they have
 * gone; and `cat` within the budget of read-ahead against one without. `node readers.js [CLIENTS]...`, 100 and 1000 by default.
 */
import { writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchNode, benchFolder, lastHash, oneFile, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const SIZE = 200 * MiB
/** By how much memory may grow for so many clients, in MiB. */
const AIMS = new Map([
  [100, 150],
  [1000, 250]
])
/** What may be left of it 10 s after the last has gone, in MiB: mostly code that ran for the first time. */
const LEFT = 40
/** Runs of which the fastest counts. */
const RUNS = 5

const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [...AIMS.keys()]

const added = async (node: BenchNode) => lastHash(await node.post('add?pin=false', oneFile(SIZE, 3)))

function stalled({ url }: BenchNode, path: string): net.Socket {
  const { hostname, port, host } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  socket.write(`POST /api/v0/${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`)
  return socket
}

async function growth(clients: number): Promise<void> {
  const node = await startNode()
  try {
    const hash = await added(node)
    await sleep(5000)
    const before = await node.memory()
    const sockets = Array.from({ length: clients }, () => stalled(node, `cat?arg=${hash}`))
    let most = 0
    for (let i = 0; i < 100; i++) {
      await sleep(100)
      most = Math.max(most, await node.memory())
    }
    for (const socket of sockets) socket.destroy()
    await sleep(10_000)
    const name = `${clients} clients that stop reading: growth`
    const against = AIMS.get(clients) ?? 250
    const figure = { against, unit: 'MiB', atMost: 1 } as const
    report({ ...figure, name: `${name} against the aim`, measured: most - before })
    const left = Math.max(1, (await node.memory()) - before)
    report({ ...figure, name: `${name} that is left 10 s after they have gone`, measured: left, against: LEFT })
  } finally {
    await node.stop()
  }
}

/** The fastest of some runs of each, one of this and one of that in turn, in MiB a second. */
async function speeds(nodes: readonly BenchNode[]): Promise<number[]> {
  const hashes = await Promise.all(nodes.map(added))
  const best = nodes.map(() => 0)
  for (let run = 0; run < RUNS; run++) {
    for (const [i, node] of nodes.entries()) {
      const took = await seconds(() => node.post(`cat?arg=${hashes[i]}`, undefined, () => {}))
      best[i] = Math.max(best[i]!, SIZE / MiB / took)
    }
  }
  return best
}

async function withoutBudget(): Promise<BenchNode> {
  const folder = await benchFolder()
  const path = join(folder, 'config.json')
  await writeFile(path, JSON.stringify({ plugins: { blocks: { readAhead: 2 ** 40 } } }))
  process.env['HOLDFAST_CONFIG'] = path
  try {
    return await startNode(join(folder, 'repo'))
  } finally {
    delete process.env['HOLDFAST_CONFIG']
  }
}

for (const clients of counts) await growth(clients)
const nodes = [await startNode(), await withoutBudget()]
try {
  const [measured = 0, against = 0] = await speeds(nodes)
  report({ name: 'cat within the budget against one without', measured, against, unit: 'MiB/s', atLeast: 0.8 })
} finally {
  await Promise.all(nodes.map(node => node.stop()))
}
