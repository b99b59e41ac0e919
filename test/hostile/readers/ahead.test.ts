/** Clients that stop reading: what all of them together hold of a node's memory is bounded, and given back when they leave. */
import net, { type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { seeded } from '../../helpers/random.ts'
import { startTarget, type Target } from '../support/node.ts'

const MIB = 1 << 20
const CLIENTS = 100

/** More than the system's buffers take of each. */
const FILE = 64 * MIB

/** Read ahead, handed over, being read from the disk, and garbage before it is collected. Without a budget 100 clients come to 500 MiB. */
const MOST = 200 * MIB

/** What the code that ran for the first time, and the C library, keep. Where the library keeps what was read too it is 75 to 110 MiB. */
const LEFT = 50 * MIB

async function added(target: Target): Promise<string> {
  const { text } = await target.ask({ path: 'add?pin=false&quieter=true', parts: [seeded(5).bytes(FILE)] })
  return (JSON.parse(text.trim().split('\n').at(-1)!) as { Hash: string }).Hash
}

/** A client that asks, and reads nothing of the answer. */
function stalled(port: number, path: string): Socket {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`POST /api/v0/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`)
  return socket
}

/** The most that a node takes, in bytes, until it has had nothing to do for two seconds. */
async function highest(target: Target): Promise<{ memory: number; buffers: number }> {
  let [memory, buffers] = [0, 0]
  for (let quiet = 0; quiet < 8; await sleep(250)) {
    const vitals = await target.vitals()
    memory = Math.max(memory, vitals.memory)
    buffers = Math.max(buffers, vitals.buffers)
    quiet = vitals.turn < 5 ? quiet + 1 : 0
  }
  return { memory, buffers }
}

for (const path of ['cat', 'get', 'dag/export']) {
  test.serial(`${CLIENTS} clients that stop reading ${path} hold a bounded part of a node's memory, until they leave`, async t => {
    const target = await startTarget()
    t.teardown(() => target.stop())
    const hash = await added(target)
    await sleep(3000)
    const before = await target.vitals()
    const clients = Array.from({ length: CLIENTS }, () => stalled(target.port, `${path}?arg=${hash}`))
    await sleep(500)
    const most = await highest(target)
    t.is((await target.vitals()).running, CLIENTS)
    for (const client of clients) client.destroy()
    t.true(most.memory - before.memory < 150 * MIB, `memory grew by ${(most.memory - before.memory) / MIB} MiB`)
    t.true(most.buffers < MOST, `${most.buffers / MIB} MiB of buffers`)
    // seconds on a machine of its own; what is left is collected once the node has been at rest
    const deadline = Date.now() + 60_000
    let after = await target.vitals()
    // an export holds one whole block for each of them, which is collected in the node's own time
    const left = path === 'dag/export' ? Number.POSITIVE_INFINITY : LEFT
    const isBack = () => after.running === 0 && after.buffers - before.buffers <= 8 * MIB && after.memory - before.memory <= left
    while (!isBack() && Date.now() < deadline) {
      await sleep(1000)
      after = await target.vitals()
    }
    t.is(after.running, 0)
    t.true(after.buffers - before.buffers <= 8 * MIB, `${(after.buffers - before.buffers) / MIB} MiB of buffers are left`)
    t.true(after.memory - before.memory <= left, `${(after.memory - before.memory) / MIB} MiB of memory are left`)
  })
}
