import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import test from 'ava'
import { limitOldGeneration } from '../../../../host/cli/memory/old-generation.ts'

const TURNS = 2000

/** Work over a heap in use whose objects live for some collections of the young generation. @returns mean bytes of the heap */
async function work(): Promise<number> {
  const inUse = Array.from({ length: 400_000 }, (_, i) => ({ i }))
  const kept: unknown[][] = []
  let sum = 0
  for (let turn = 0; turn < TURNS; turn++) {
    kept.push(Array.from({ length: 5000 }, (_, i) => ({ turn, i })))
    if (kept.length > 100) kept.splice(0, 50)
    sum += process.memoryUsage().heapUsed
    await setImmediate()
  }
  return inUse.length > 0 ? sum / TURNS : 0
}

/** A limit that was set before counts until the next collection. */
async function settled(): Promise<number> {
  await work()
  return work()
}

test.serial('a heap does not grow to a multiple of what is in use', async t => {
  setFlagsFromString('--heap-growing-percent=0')
  const alone = await settled()
  limitOldGeneration()
  const limited = await settled()
  t.true(limited < 0.75 * alone, `${limited >> 20} MiB on average, and ${alone >> 20} MiB without a bound`)
})
