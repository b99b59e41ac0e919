/** Addresses of this machine that nobody answers at: what real peers list of old. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Transport } from '../../test/interop/nodes/peer.ts'

/** Listens, says where, and is stopped before it takes anybody in. */
const LISTENER = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))
`

/** More than such a listener's backlog has room for: whoever comes next gets no answer to its first packet. */
const WAITING = 4

export interface Silent {
  readonly addresses: readonly string[]
  close(): Promise<void>
}

export async function silent(kind: Transport, count: number): Promise<Silent> {
  const all = await Promise.all(Array.from({ length: count }, () => (kind === 'quic' ? deaf() : full(kind === 'ws' ? '/ws' : ''))))
  return {
    addresses: all.map(({ address }) => address),
    close: async () => void (await Promise.all(all.map(one => one.close())))
  }
}

interface One {
  readonly address: string
  close(): Promise<unknown>
}

async function deaf(): Promise<One> {
  const socket: Datagrams = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `/ip4/127.0.0.1/udp/${socket.address().port}/quic-v1`, close: async () => void socket.close() }
}

async function full(ending: string): Promise<One> {
  const child: ChildProcess = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = Number((await once(child.stdout!, 'data')) as unknown as [Buffer])
  child.kill('SIGSTOP')
  const waiting: Socket[] = []
  for (let i = 0; i < WAITING; i++) waiting.push(connect({ port, host: '127.0.0.1' }).on('error', () => {}))
  await once(waiting[0]!, 'connect')
  await once(waiting[1]!, 'connect')
  return {
    address: `/ip4/127.0.0.1/tcp/${port}${ending}`,
    async close() {
      for (const socket of waiting) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
}
