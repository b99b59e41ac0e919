import test from 'ava'
import { Allocator } from '../../../../host/cli/memory/trim.ts'
import { collectGarbage, MiB } from '../../../helpers/memory.ts'

const resident = () => process.memoryUsage.rss() / MiB

/** Buffers of which a few stay, here and there among those that go. */
function hold(count: number): Buffer[] {
  return Array.from({ length: count }, () => Buffer.alloc(6000)).filter((_, at) => at % 100 === 0)
}

// malloc_trim is glibc's own
const onGlibc = process.platform === 'linux' && 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header
const withGlibc = onGlibc ? test.serial : test.serial.skip

withGlibc('what the allocator holds between memory in use goes back to the system', async t => {
  const allocator = new Allocator()
  const kept = hold(20_000)
  collectGarbage()
  const before = resident()
  await allocator.giveBack()
  t.true(before - resident() > 64, `${before} MiB, then ${resident()} MiB`)
  t.is(kept.length, 200)
})

test.serial('nothing is loaded for a process that has not grown', async t => {
  let asked = 0
  const allocator = new Allocator(async () => {
    asked++
    return () => {}
  })
  await allocator.giveBack()
  t.is(asked, 0)
})
