/**
 * This tree against another checkout of the project that is built, in turns: starting, idle memory, adding, importing, reading, the gateway
 * and small calls. For rebuildings that are to cost nothing, or to gain. Each round is a node of its own, whose code is as cold as that of one
 * that was just started. `node dist/bench/process/compare.js FOLDER-OF-THE-OTHER [limit, default 0.97] [a part of the names of rows]`
 */
import { execFile } from 'node:child_process'
import http from 'node:http'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BenchNode, lastHash, manyFiles, oneFile, startNode } from '../support/node.ts'
import { MiB, median, report, seconds } from '../support/report.ts'

const [other, limit = '0.97', only = ''] = process.argv.slice(2)
if (other === undefined) throw new Error('compare.js takes the folder of another checkout')
const ROUNDS = 5
const LARGE = 1024 * MiB
const FILES = 10_000
/** Bytes of a body that are sent at once. */
const PIECE = 64 * 1024
const CONNECTIONS = 32
const SECONDS = 3
/** What a process takes after it has started needs a moment to be given back. */
const SETTLING = 3000

const BOUNDARY = 'bench-boundary'
const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="f"\r\n\r\n'

const loadScript = fileURLToPath(new URL('../support/load.js', import.meta.url))

async function load(url: string, path: string, method: string): Promise<number> {
  const command = [loadScript, new URL(url).port, path, String(CONNECTIONS), String(SECONDS), method]
  return Number((await promisify(execFile)(process.execPath, command)).stdout)
}

const download = (url: string) =>
  new Promise<void>((done, fail) => {
    http.get(url, response => response.on('error', fail).on('end', done).resume()).on('error', fail)
  })

interface Bodies {
  /** Small files of one folder. */
  readonly many: Buffer
  /** Another such folder as a CAR. */
  readonly car: Buffer
}

/** Bodies that are made before anything is measured, as to make them takes as long as to add them. */
async function bodies(): Promise<Bodies[]> {
  const made: Bodies[] = []
  const node = await startNode()
  try {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const root = lastHash(await node.post('add?progress=false', manyFiles(FILES, ROUNDS + seed)))
      const car: Buffer[] = []
      await node.post(`dag/export?arg=${root}`, undefined, chunk => car.push(chunk))
      const many: Uint8Array[] = []
      for await (const chunk of manyFiles(FILES, seed).chunks) many.push(chunk)
      made.push({ many: Buffer.concat(many), car: part(...car) })
    }
  } finally {
    await node.stop()
  }
  return made
}

function part(...content: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${DISPOSITION}`), ...content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

function sent(body: Buffer) {
  return {
    boundary: BOUNDARY,
    chunks: (async function* () {
      for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE)
    })()
  }
}

/** What is measured one after the other of a node that has settled. */
function rows(node: BenchNode, { many, car }: Bodies, seed: number): Record<string, () => Promise<number>> {
  const rate = async (count: number, work: () => Promise<unknown>) => count / (await seconds(work))
  let large = ''
  // A closing brace is what the load looks for at the end of an answer.
  const small = part(Buffer.from('{}'))
  return {
    'idle memory, MiB': () => node.memory(),
    'add of 10,000 small files, files/s': () => rate(FILES, () => node.post('add?progress=false', sent(many))),
    'dag/import of 10,000 others, blocks/s': () => rate(FILES, () => node.post('dag/import', sent(car))),
    'add of 1 GiB, MiB/s': () =>
      rate(LARGE / MiB, async () => {
        large = lastHash(await node.post('add?pin=false', oneFile(LARGE, seed)))
      }),
    'cat of 1 GiB, MiB/s': () => rate(LARGE / MiB, () => node.post(`cat?arg=${large}`, undefined, () => {})),
    'gateway, 1 GiB, MiB/s': () => rate(LARGE / MiB, () => download(`${node.gateway}/ipfs/${large}`)),
    'gateway, a small file, requests/s': async () =>
      load(node.gateway, `/ipfs/${lastHash(await node.post('add?pin=false', sent(small)))}`, 'GET'),
    'version, requests/s': () => load(node.url, '/api/v0/version', 'POST')
  }
}

type Figures = Record<string, number>

async function figuresOf(tree: string | undefined, of: Bodies, seed: number): Promise<Figures> {
  const node = await startNode(undefined, undefined, tree)
  try {
    await new Promise(done => setTimeout(done, SETTLING))
    const figures: Figures = { 'start to ready, ms': node.readyAfter }
    for (const [name, work] of Object.entries(rows(node, of, seed))) if (name.includes(only)) figures[name] = await work()
    return figures
  } finally {
    await node.stop()
  }
}

const trees = { this: undefined, other: resolve(other, 'dist') }
const measured: Record<keyof typeof trees, Figures[]> = { this: [], other: [] }
for (const [round, of] of (await bodies()).entries()) {
  // Whoever comes second finds a warmer machine: by turns.
  const order = round % 2 === 0 ? (['this', 'other'] as const) : (['other', 'this'] as const)
  for (const tree of order) measured[tree].push(await figuresOf(trees[tree], of, round + 1))
}
for (const name of Object.keys(measured.this[0]!).filter(name => name.includes(only))) {
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
