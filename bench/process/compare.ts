/**
 * This tree against another checkout of the project that is built, in turns: starting, idle memory, adding, reading, the gateway and small
 * calls. For rebuildings that are to cost nothing. `node dist/bench/process/compare.js FOLDER-OF-THE-OTHER [limit, default 0.97]`
 */
import { execFile } from 'node:child_process'
import http from 'node:http'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BenchNode, lastHash, manyFiles, oneFile, startNode } from '../support/node.ts'
import { MiB, median, report, seconds } from '../support/report.ts'

const [other, limit = '0.97'] = process.argv.slice(2)
if (other === undefined) throw new Error('compare.js takes the folder of another checkout')
const ROUNDS = 5
const LARGE = 1024 * MiB
const FILES = 10_000
const CONNECTIONS = 32
const SECONDS = 3
/** What a process takes after it has started needs a moment to be given back. */
const SETTLING = 3000

const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'

const loadScript = fileURLToPath(new URL('../support/load.js', import.meta.url))

async function load(url: string, path: string, method: string): Promise<number> {
  const command = [loadScript, new URL(url).port, path, String(CONNECTIONS), String(SECONDS), method]
  return Number((await promisify(execFile)(process.execPath, command)).stdout)
}

const download = (url: string) =>
  new Promise<void>((done, fail) => {
    http.get(url, response => response.on('error', fail).on('end', done).resume()).on('error', fail)
  })

/** The figures of one start of a node, by their names. */
async function figures(node: BenchNode, seed: number): Promise<Record<string, number>> {
  await new Promise(done => setTimeout(done, SETTLING))
  const idle = await node.memory()
  let large = ''
  const adding = await seconds(async () => {
    large = lastHash(await node.post('add?pin=false', oneFile(LARGE, seed)))
  })
  const addingMany = await seconds(() => node.post('add?progress=false', manyFiles(FILES, seed)))
  const reading = await seconds(() => node.post(`cat?arg=${large}`, undefined, () => {}))
  const serving = await seconds(() => download(`${node.gateway}/ipfs/${large}`))
  // A closing brace is what the load looks for at the end of an answer.
  const small = lastHash(await node.post('add?pin=false', { boundary: 'b', chunks: oneChunk(`${HEAD}{}\r\n--b--\r\n`) }))
  return {
    'start to ready, ms': node.readyAfter,
    'idle memory, MiB': idle,
    'add of 1 GiB, MiB/s': LARGE / MiB / adding,
    'add of 10,000 small files, files/s': FILES / addingMany,
    'cat of 1 GiB, MiB/s': LARGE / MiB / reading,
    'gateway, 1 GiB, MiB/s': LARGE / MiB / serving,
    'gateway, a small file, requests/s': await load(node.gateway, `/ipfs/${small}`, 'GET'),
    'version, requests/s': await load(node.url, '/api/v0/version', 'POST')
  }
}

async function* oneChunk(text: string) {
  yield Buffer.from(text)
}

const trees = { this: undefined, other: resolve(other, 'dist') }
const measured: Record<keyof typeof trees, Record<string, number>[]> = { this: [], other: [] }
for (let round = 0; round < ROUNDS; round++) {
  // Whoever comes second finds a warmer machine: by turns.
  const order = round % 2 === 0 ? (['this', 'other'] as const) : (['other', 'this'] as const)
  for (const tree of order) {
    const node = await startNode(undefined, undefined, trees[tree])
    try {
      measured[tree].push(await figures(node, round + 1))
    } finally {
      await node.stop()
    }
  }
}
for (const name of Object.keys(measured.this[0]!)) {
  const less = name.endsWith(' ms') || name.endsWith(' MiB')
  const [what, unit] = [name.slice(0, name.lastIndexOf(', ')), name.slice(name.lastIndexOf(', ') + 2)]
  report({
    name: what,
    measured: median(measured.this.map(row => row[name]!)),
    against: median(measured.other.map(row => row[name]!)),
    unit,
    ...(less ? { atMost: Math.round(100 / Number(limit)) / 100 } : { atLeast: Number(limit) })
  })
}
