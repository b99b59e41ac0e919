/** A pass over many blocks: what it tells, and that it holds no more of many than of few. */
import { hash } from 'node:crypto'
import test from 'ava'
import type { Blockstore } from '../../../core/index.ts'
import { provideSettings } from '../../../plugins/provide/settings.ts'
import { collectGarbage } from '../../helpers/memory.ts'
import { providerOf } from './provider.ts'

const multihash = (number: number) => Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', String(number), 'buffer')])

/** A store that lists so many blocks, and has none of them in memory. */
function storeOf(count: number): Blockstore {
  const listMultihashes = async function* () {
    for (let i = 0; i < count; i++) {
      // as a store does that reads some at a time
      if (i % 256 === 0) await new Promise(resolve => setImmediate(resolve))
      yield multihash(i)
    }
  }
  return { listMultihashes, putBytes() {}, getBytes() {}, readAll() {} } as unknown as Blockstore
}

interface Pass {
  readonly told: number
  readonly most: number
  /** Bytes of the heap that live, at its most. */
  readonly held: number
}

/** One pass over a store of so many blocks, whose routing answers after a turn. */
async function passOver(count: number, every = Math.floor(count / 5)): Promise<Pass> {
  let [told, running, most, held] = [0, 0, 0, 0]
  const provider = providerOf(storeOf(count), async function* () {
    most = Math.max(most, ++running)
    await new Promise(resolve => setImmediate(resolve))
    yield { type: 'asking', peer: 'somebody' }
    running--
    if (++told % every !== 0) return
    collectGarbage()
    held = Math.max(held, process.memoryUsage().heapUsed)
  })
  await provider.reprovide()
  const { lastBatch, total } = provider.stats
  if (lastBatch !== told || total !== told) throw new Error(`${told} were told, ${lastBatch} and ${total} are counted`)
  return { told, most, held }
}

test.serial('a pass tells of every block once, so many at a time as the setting says', async t => {
  const { told, most } = await passOver(1_000)
  t.is(told, 1_000)
  t.is(most, provideSettings.parse({}).provideConcurrency)
})

test.serial('a pass over fifty times as many blocks holds no more', async t => {
  const few = await passOver(1_000)
  const many = await passOver(50_000)
  t.is(many.told, 50_000)
  const growth = (many.held - few.held) / 2 ** 20
  // their multihashes alone would be 3 MiB of octets, and ten times that as objects
  t.true(growth < 2, `${growth.toFixed(1)} MiB`)
})
