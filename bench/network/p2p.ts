/**
 * An HTTP server behind `p2p/forward`, against the same server behind plain TCP relays in the same two processes, one after the other in turns: 1 GiB down
 * and up, and connections a second of which each says a word.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Order } from '../support/forwarder.ts'
import { MiB, median, report, seconds } from '../support/report.ts'

const SIZE = 1024 * MiB
const PIECE = Buffer.alloc(256 * 1024, 'p2p')
const TURNS = 3
const CONNECTIONS = 500
/** What the figures of a turn have to reach. */
const LIMITS = { carried: 0.6, connections: 0.1 }

const script = fileURLToPath(new URL('../support/forwarder.js', import.meta.url))

async function start(): Promise<ChildProcess> {
  const child = fork(script)
  await once(child, 'message')
  return child
}

async function tell<T>(child: ChildProcess, order: Order): Promise<T> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0] as T
}

const server = createServer(async (asked, answer) => {
  let got = 0
  for await (const piece of asked) got += (piece as Buffer).length
  if (asked.method === 'PUT') {
    answer.end(String(got))
    return
  }
  if (asked.url !== '/large') {
    answer.end('a word')
    return
  }
  answer.setHeader('Content-Length', SIZE)
  for (let sent = 0; sent < SIZE; sent += PIECE.length) if (!answer.write(PIECE)) await once(answer, 'drain')
  answer.end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const service = (server.address() as AddressInfo).port

async function down(port: number): Promise<void> {
  const asked = request({ port, host: '127.0.0.1', path: '/large', agent: false }).end()
  const [answer] = await once(asked, 'response')
  let got = 0
  for await (const piece of answer) got += (piece as Buffer).length
  if (got !== SIZE) throw new Error(`${got} bytes came`)
}

async function up(port: number): Promise<void> {
  const asked = request({ port, host: '127.0.0.1', method: 'PUT', agent: false, headers: { 'Content-Length': SIZE } })
  const answered = once(asked, 'response')
  for (let sent = 0; sent < SIZE; sent += PIECE.length) if (!asked.write(PIECE)) await once(asked, 'drain')
  asked.end()
  const [answer] = await answered
  let text = ''
  for await (const piece of answer) text += piece
  if (text !== String(SIZE)) throw new Error(`${text} bytes arrived`)
}

async function words(port: number): Promise<void> {
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.end('GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n')
    let got = 0
    for await (const piece of socket) got += (piece as Buffer).length
    if (got === 0) throw new Error('nothing came')
  }
}

const [near, far] = await Promise.all([start(), start()])
try {
  const behind = await tell<number>(far, { do: 'relay', to: service })
  const plain = await tell<number>(near, { do: 'relay', to: behind })
  const offered = await tell<{ peer: string; address: string }>(far, { do: 'offer', to: service })
  const forwarded = await tell<number>(near, { do: 'forward', ...offered })
  const measure = async (work: (port: number) => Promise<void>) => {
    const taken = { plain: [] as number[], forwarded: [] as number[] }
    for (let turn = 0; turn < TURNS; turn++) {
      taken.plain.push(await seconds(() => work(plain)))
      taken.forwarded.push(await seconds(() => work(forwarded)))
    }
    return { plain: median(taken.plain), forwarded: median(taken.forwarded) }
  }
  for (const [name, work] of [
    ['1 GiB down over p2p/forward', down],
    ['1 GiB up over p2p/forward', up]
  ] as const) {
    const taken = await measure(work)
    const [measured, against] = [taken.forwarded, taken.plain].map(time => SIZE / MiB / time) as [number, number]
    report({ name, measured, against, unit: 'MiB/s', atLeast: LIMITS.carried })
  }
  const taken = await measure(words)
  const [measured, against] = [taken.forwarded, taken.plain].map(time => CONNECTIONS / time) as [number, number]
  report({ name: 'connections over p2p/forward, one after the other', measured, against, unit: '/s', atLeast: LIMITS.connections })
} finally {
  near.disconnect()
  far.disconnect()
  server.closeAllConnections()
  server.close()
}
