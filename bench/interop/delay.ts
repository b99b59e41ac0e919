/**
 * A way between two nodes of this machine that takes a while, both ways. It runs in a process of its own, as `node delay.js MILLISECONDS`; its parent
 * sends addresses, and is told which address leads there.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createSocket, type Socket as Datagrams } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** Does things so many milliseconds later, in their order. */
function later(delay: number): (act: () => void) => void {
  const queue: Array<{ readonly due: number; readonly act: () => void }> = []
  let [at, isWaiting] = [0, false]
  const turn = () => {
    isWaiting = false
    const now = performance.now()
    while (at < queue.length && queue[at]!.due <= now) queue[at++]!.act()
    if (at === queue.length) {
      queue.length = 0
      at = 0
    } else wait(queue[at]!.due - now)
  }
  const wait = (ms: number) => {
    isWaiting = true
    setTimeout(turn, ms)
  }
  return act => {
    queue.push({ due: performance.now() + delay, act })
    if (!isWaiting) wait(delay)
  }
}

/** What may be under way before a sender waits. */
const UNDER_WAY = 16 << 20

function carry(from: Socket, to: Socket, delay: number): void {
  const soon = later(delay)
  let waiting = 0
  from.on('data', chunk => {
    waiting += chunk.length
    if (waiting > UNDER_WAY) from.pause()
    soon(() => {
      to.write(chunk, () => {
        waiting -= chunk.length
        if (from.isPaused() && waiting < UNDER_WAY) from.resume()
      })
    })
  })
  from.on('end', () => soon(() => to.end()))
  from.on('error', () => to.destroy())
  from.on('close', () => soon(() => to.end()))
}

async function overTcp(port: number, delay: number): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    carry(near, far, delay)
    carry(far, near, delay)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function overUdp(port: number, delay: number): Promise<number> {
  const near = await bound()
  const ways = new Map<number, { readonly far: Datagrams; readonly soon: (act: () => void) => void }>()
  near.on('message', (packet, { port: from }) => {
    let way = ways.get(from)
    if (way === undefined) {
      const far = createSocket({ type: 'udp4', recvBufferSize: UNDER_WAY, sendBufferSize: UNDER_WAY })
      const back = later(delay)
      far.on('message', answer => back(() => near.send(answer, from, '127.0.0.1')))
      far.bind(0, '127.0.0.1')
      way = { far, soon: later(delay) }
      ways.set(from, way)
    }
    const { far, soon } = way
    soon(() => far.send(packet, port, '127.0.0.1'))
  })
  return near.address().port
}

async function bound(): Promise<Datagrams> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: UNDER_WAY, sendBufferSize: UNDER_WAY })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

const PORT = /\/(tcp|udp)\/(\d+)/

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const delay = Number(process.argv[2])
  process.on('message', async address => {
    const [, kind, port] = PORT.exec(address as string)!
    const at = await (kind === 'udp' ? overUdp : overTcp)(Number(port), delay)
    process.send!((address as string).replace(PORT, `/${kind}/${at}`))
  })
  process.on('disconnect', () => process.exit())
}

export interface Way {
  /** The address that leads to another, late. */
  to(address: string): Promise<string>
  close(): void
}

/** @param delay - each way, in milliseconds; 0: there is nothing between */
export function startWay(delay: number): Way {
  if (delay === 0) return { to: async address => address, close() {} }
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [String(delay)])
  return {
    async to(address) {
      child.send(address)
      return ((await once(child, 'message')) as [string])[0]
    },
    close: () => void child.kill()
  }
}
