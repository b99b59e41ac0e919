/**
 * Small files, blocks and a large file from the gateway, against bare routes of the same HTTP library that send the same bytes; the first byte
 * of a long listing; and what memory is left over from many requests. `node gateway.js [MiB of the large file]`
 */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import restify from 'restify'
import { benchFolder, chunksOf, lastHash, oneFile, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

/** The brace is what the load looks for at the end of an answer. */
const SMALL = `${'x'.repeat(1023)}}`
const LARGE = Number(process.argv[2] ?? 1024) * MiB
/** Files of a folder, and of one whose listing is long. */
const [FOLDER, LONG_FOLDER] = [10_000, 100_000]
/** Requests after which memory is looked at. */
const REQUESTS = 100_000
/** How often each is measured, in turns: what else the machine does falls on both. */
const ROUNDS = 3
/** Requests of which the processor's time is taken. */
const TIMED = 40_000
/** How long each path is asked for at a time. */
const SECONDS = 3

const load = async (port: number, path: string) => {
  const script = fileURLToPath(new URL('../support/load.js', import.meta.url))
  return Number((await promisify(execFile)(process.execPath, [script, String(port), path, '32', String(SECONDS), 'GET'])).stdout)
}

const requests = async (port: number, path: string, count: number) => {
  const script = fileURLToPath(new URL('../support/requests.js', import.meta.url))
  await promisify(execFile)(process.execPath, [script, String(port), path, '32', String(count)])
}

/** Microseconds of the processor's time that each of many requests takes. */
async function cpuOfEach(port: number, path: string, cpu: () => number | Promise<number>): Promise<number> {
  const before = await cpu()
  await requests(port, path, TIMED)
  return (((await cpu()) - before) / TIMED) * 1e6
}

/** The same of this process, which has the bare routes. */
const cpuOfThisProcess = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Requests a second of two paths, measured in turns. */
async function rates(gateway: readonly [number, string], bare: readonly [number, string]) {
  let [measured, against] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    against += (await load(...bare)) / ROUNDS
    measured += (await load(...gateway)) / ROUNDS
  }
  return { measured, against }
}

/** A folder of so many files, the one called `f77` a small one as others are measured with. */
function folderOf(count: number) {
  return {
    boundary: 'b',
    chunks: (async function* () {
      for (let i = 0; i < count; i++) {
        const content = i === 77 ? SMALL : `file ${i}`
        yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="folder%2Ff${i}"\r\n\r\n${content}\r\n`)
      }
      yield Buffer.from('--b--\r\n')
    })()
  }
}

/** Milliseconds until the first byte of an answer's body, and how many bytes there are. */
const firstByte = (port: number, path: string) =>
  new Promise<readonly [number, number]>((resolve, reject) => {
    const began = performance.now()
    http.get({ host: '127.0.0.1', port, path }, response => {
      let first: number | undefined
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        first ??= performance.now() - began
        bytes += chunk.length
      })
      response.on('end', () => resolve([first!, bytes]))
      response.on('error', reject)
    })
  })

const download = (port: number, path: string) =>
  seconds(
    () =>
      new Promise<void>((resolve, reject) => {
        http.get({ host: '127.0.0.1', port, path }, response => {
          let bytes = 0
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          response.on('end', () => (bytes === LARGE ? resolve() : reject(new Error(`${path}: ${bytes} bytes`))))
          response.on('error', reject)
        })
      })
  )

const file = join(await benchFolder(), 'large')
await pipeline(Readable.from(chunksOf(LARGE, 5)), createWriteStream(file))
const server = restify.createServer()
server.get('/small', (_, response, next) => {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': String(SMALL.length) })
  response.end(SMALL)
  next()
})
server.get('/large', (_, response, next) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': String(LARGE) })
  createReadStream(file, { highWaterMark: 256 << 10 }).pipe(response)
  response.on('close', () => next())
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const { port: barePort } = server.address() as AddressInfo

const node = await startNode()
try {
  const port = Number(new URL(node.gateway).port)
  const add = async (body: Parameters<typeof node.post>[1]) => lastHash(await node.post('add?pin=false&cid-version=1', body))
  const small = await add({
    boundary: 'b',
    chunks: Readable.from(
      [`--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${SMALL}\r\n--b--\r\n`].map(text => Buffer.from(text))
    )
  })
  const bare = [barePort, '/small'] as const
  const figure = { unit: 'requests/s', atLeast: 0.5 } as const
  const folder = await add(folderOf(FOLDER))
  const paths = {
    'a file': `/ipfs/${small}`,
    'a block': `/ipfs/${small}?format=raw`,
    'a file in a folder of 10,000': `/ipfs/${folder}/f77`
  }
  for (const [what, path] of Object.entries(paths)) {
    report({ ...figure, name: `${what}, 1 KiB, against a bare route`, ...(await rates([port, path], bare)) })
  }
  const spentOn = { bare: 0, gateway: new Map<string, number>() }
  for (let round = 0; round < ROUNDS; round++) {
    spentOn.bare += await cpuOfEach(...bare, cpuOfThisProcess)
    for (const [what, path] of Object.entries(paths)) {
      spentOn.gateway.set(what, (spentOn.gateway.get(what) ?? 0) + (await cpuOfEach(port, path, node.cpu)))
    }
  }
  for (const [what, spent] of spentOn.gateway) {
    report({
      name: `the processor's time of ${what}, against a bare route`,
      measured: spent / ROUNDS,
      against: spentOn.bare / ROUNDS,
      unit: 'µs',
      atMost: 2
    })
  }
  const many = async (count: number) => {
    for (let answered = 0; answered < count; ) for (const path of Object.values(paths)) answered += SECONDS * (await load(port, path))
  }
  // until then the engine takes what memory it works best with
  await many(2 * REQUESTS)
  const before = await node.memory()
  await many(REQUESTS)
  const flat = { unit: 'MiB', atMost: 1.1 } as const
  report({ ...flat, name: `memory after ${REQUESTS} requests more, against before`, measured: await node.memory(), against: before })
  const large = await add(oneFile(LARGE, 5))
  const spent = { gateway: 0, plain: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    spent.plain += await download(barePort, '/large')
    spent.gateway += await download(port, `/ipfs/${large}`)
  }
  const total = (ROUNDS * LARGE) / MiB
  report({
    name: `${LARGE / MiB} MiB against a bare route that sends a file`,
    measured: total / spent.gateway,
    against: total / spent.plain,
    unit: 'MiB/s',
    atLeast: 0.5
  })
  const long = await add(folderOf(LONG_FOLDER))
  const [first, bytes] = await firstByte(port, `/ipfs/${long}/`)
  if (bytes < LONG_FOLDER * 200) throw new Error(`a listing of ${LONG_FOLDER} entries has ${bytes} bytes`)
  report({ name: 'first byte of a listing of 100,000, against the aim', measured: first, against: 300, unit: 'ms', atMost: 1 })
} finally {
  await node.stop()
}
process.exit()
