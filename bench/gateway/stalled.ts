/**
 * What small answers of the gateway cost, and how long they take, beside clients that ask for a file of 5 MB and read nothing of it.
 * `node stalled.js [CLIENTS]...`, 600 and 800 by default.
 */
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchNode, benchFolder, lastHash, oneFile, startNode } from '../support/node.ts'
import { median, report } from '../support/report.ts'

const LARGE = 5_000_000
const SMALL = 1024
const CONNECTIONS = 16
const REQUESTS = 8000
/** How often each is measured, in turns: what else the machine does falls on both. */
const ROUNDS = 3

const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [600, 800]

/** Microseconds of the processor's time that each request takes, and the longest of them in milliseconds. */
interface Spent {
  readonly cpu: number
  readonly longest: number
}

async function small(node: BenchNode, path: string): Promise<Spent> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let left = REQUESTS
  let longest = 0
  const before = await node.cpu()
  const one = async () => {
    while (left-- > 0) {
      const began = performance.now()
      await fetched(`${node.gateway}${path}`, agent)
      longest = Math.max(longest, performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  agent.destroy()
  return { cpu: (((await node.cpu()) - before) / REQUESTS) * 1e6, longest }
}

function fetched(url: string, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, timeout: 30_000 }, response => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`))
      response.resume()
      response.on('end', resolve)
    })
    request.on('timeout', () => request.destroy(new Error(`${url}: no answer in 30 s`)))
    request.on('error', reject)
  })
}

/** Clients that have had the beginning of an answer, and read no further. */
async function stalled({ gateway }: BenchNode, path: string, clients: number): Promise<net.Socket[]> {
  const { hostname, port, host } = new URL(gateway)
  const open = () =>
    new Promise<net.Socket>((resolve, reject) => {
      const socket = net.connect(Number(port), hostname)
      socket.on('error', reject)
      socket.once('data', data => {
        socket.pause()
        if (data.toString('latin1').startsWith('HTTP/1.1 200')) resolve(socket)
        else reject(new Error(data.toString('latin1')))
      })
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    })
  return Promise.all(Array.from({ length: clients }, open))
}

/** Waits until a node does nothing any more: what the system takes for clients that do not read was sent by then. */
async function settle(node: BenchNode): Promise<void> {
  for (let before = -1, now = await node.cpu(); now - before > 0.02; before = now, now = await node.cpu()) await sleep(500)
}

/** A node that answers so many of one caller. */
async function roomyNode(): Promise<BenchNode> {
  const folder = await benchFolder()
  const path = join(folder, 'config.json')
  await writeFile(path, JSON.stringify({ plugins: { gateway: { limits: { requests: 4096, requestsPerCaller: 4096 } } } }))
  process.env['HOLDFAST_CONFIG'] = path
  try {
    return await startNode(join(folder, 'repo'))
  } finally {
    delete process.env['HOLDFAST_CONFIG']
  }
}

const node = await roomyNode()
try {
  const add = async (size: number, seed: number) => `/ipfs/${lastHash(await node.post('add?pin=false', oneFile(size, seed)))}`
  const [large, path] = [await add(LARGE, 3), await add(SMALL, 5)]
  await small(node, path)
  for (const clients of counts) {
    const alone: Spent[] = []
    const begun: Spent[] = []
    const beside: Spent[] = []
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await small(node, path))
      const sockets = await stalled(node, large, clients)
      begun.push(await small(node, path))
      await settle(node)
      beside.push(await small(node, path))
      for (const socket of sockets) socket.destroy()
      await settle(node)
    }
    const cpu = (spent: readonly Spent[]) => median(spent.map(({ cpu }) => cpu))
    const longest = (spent: readonly Spent[]) => median(spent.map(({ longest }) => longest))
    const name = `a small answer beside ${clients} clients that stopped reading`
    report({ name: `${name}: the processor's time`, measured: cpu(beside), against: cpu(alone), unit: 'µs', atMost: 1.3 })
    report({ name: `${name}: the longest`, measured: longest(beside), against: 1000, unit: 'ms', atMost: 1 })
    console.log(
      `the longest took ${longest(alone).toFixed(0)} ms without them, ${longest(begun).toFixed(0)} ms while the system took what it holds for them`
    )
  }
} finally {
  await node.stop()
}
