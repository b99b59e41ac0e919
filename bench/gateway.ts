/** Small files, blocks and a large file from the gateway, against bare routes of the same HTTP library that send the same bytes. */
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
import { benchFolder, chunksOf, oneFile, startNode } from './support/node.ts'
import { MiB, report, seconds } from './support/report.ts'

/** The brace is what the load looks for at the end of an answer. */
const SMALL = `${'x'.repeat(1023)}}`
const LARGE = 256 * MiB

const load = async (port: number, path: string) => {
  const script = fileURLToPath(new URL('support/load.js', import.meta.url))
  return Number((await promisify(execFile)(process.execPath, [script, String(port), path, '32', '5', 'GET'])).stdout)
}

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
  const add = async (body: Parameters<typeof node.post>[1]) => {
    const lines = (await node.post('add?pin=false&cid-version=1', body)).trim().split('\n')
    return (JSON.parse(lines.at(-1)!) as { Hash: string }).Hash
  }
  const small = await add({
    boundary: 'b',
    chunks: Readable.from(
      [`--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${SMALL}\r\n--b--\r\n`].map(text => Buffer.from(text))
    )
  })
  const bare = await load(barePort, '/small')
  const figure = { against: bare, unit: 'requests/s', limit: 0.5, better: 'more' } as const
  report({ ...figure, name: 'a file of 1 KiB against a bare route', measured: await load(port, `/ipfs/${small}`) })
  report({ ...figure, name: 'a block of 1 KiB against a bare route', measured: await load(port, `/ipfs/${small}?format=raw`) })
  const large = await add(oneFile(LARGE, 5))
  const [plain, own] = [await download(barePort, '/large'), await download(port, `/ipfs/${large}`)]
  report({
    name: '256 MiB against a bare route that sends a file',
    measured: LARGE / MiB / own,
    against: LARGE / MiB / plain,
    unit: 'MiB/s',
    limit: 0.5,
    better: 'more'
  })
} finally {
  await node.stop()
}
process.exit()
