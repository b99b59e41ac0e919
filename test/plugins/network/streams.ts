import type { ExecutionContext } from 'ava'
import type { PeerStream } from '../../../core/index.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const TOTAL = 40_000_000

/** A writer of one node that waits while a handler of the other does not read, and whose octets all arrive once it does. */
export async function waitsForReader(t: ExecutionContext, a: OnlineNode, b: OnlineNode, addresses: readonly string[]): Promise<void> {
  const reading = Promise.withResolvers<void>()
  let received = 0
  await b.network.handle('/x/slow', async stream => {
    await reading.promise
    for await (const part of stream) received += part.length
  })
  await a.network.dial(b.network.self, addresses)
  const stream = await a.network.open(b.network.self, '/x/slow')
  let written = 0
  const writing = (async () => {
    for (; written < TOTAL; written += 100_000) await stream.write(new Uint8Array(100_000))
    await stream.end()
  })()
  let before = -1
  await until('the writer waits', () => {
    const rests = written === before && written > 0
    before = written
    return rests
  })
  t.true(written < TOTAL / 2, `${written} octets were taken although nobody read`)
  reading.resolve()
  await writing
  await until('everything arrives', () => received === TOTAL)
}

/** All octets of a stream. */
export async function gathered(stream: PeerStream): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
