/**
 * `node bare.js FILE`: a bare Node.js server that does what a store of blocks cannot do without, and nothing else. A `POST` with one file in it
 * is read, taken apart, hashed, written to FILE (small ones from the event loop, large ones by another thread) and answered in one write;
 * one without gets its block back, hashed once more. No limits, no checks, no streams, no plugins. It prints its port.
 */
import { hash } from 'node:crypto'
import fs from 'node:fs'
import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Stored {
  readonly at: number
  readonly size: number
  /** Small ones are kept in memory too. */
  readonly bytes: Buffer | undefined
}

const LARGEST_SMALL = 16 * 1024
const fd = fs.openSync(process.argv[2]!, 'w+', 0o600)
const blocks = new Map<string, Stored>()
let end = 0

function put(body: Buffer, boundary: string, response: ServerResponse): void {
  const bytes = body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf(`\r\n--${boundary}`))
  const key = hash('sha256', bytes)
  const at = end
  end += bytes.length
  const done = () => {
    blocks.set(key, { at, size: bytes.length, bytes: bytes.length > LARGEST_SMALL ? undefined : bytes })
    const text = `{"Key":"${key}","Size":${bytes.length}}\n`
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(text.length)]).end(text)
  }
  if (bytes.length > LARGEST_SMALL) fs.write(fd, bytes, 0, bytes.length, at, done)
  else {
    fs.writeSync(fd, bytes, 0, bytes.length, at)
    done()
  }
}

function get(key: string, response: ServerResponse): void {
  const { at, size, bytes } = blocks.get(key)!
  const answer = (whole: Buffer) => {
    if (hash('sha256', whole) !== key) throw new Error(`${key} is broken`)
    response.writeHead(200, ['Content-Type', 'text/plain', 'Content-Length', String(size)])
    if (bytes === undefined) response.end(whole)
    else response.end(whole.toString('latin1'), 'latin1')
  }
  if (bytes !== undefined) answer(bytes)
  else {
    const read = Buffer.allocUnsafeSlow(size)
    fs.read(fd, read, 0, size, at, () => answer(read))
  }
}

const server = http.createServer((request, response) => {
  const type = request.headers['content-type']
  if (type === undefined) {
    get(request.url!.slice(request.url!.indexOf('=') + 1), response)
    return
  }
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => put(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), type.slice(type.indexOf('=') + 1), response))
})
// Between its turns a connection may be idle for longer than Node.js has patience.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
