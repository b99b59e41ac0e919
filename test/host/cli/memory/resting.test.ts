import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { programs, RestingMemory } from '../../../../host/cli/memory/resting.ts'
import { collectGarbage, MiB } from '../../../helpers/memory.ts'

const resident = () => process.memoryUsage.rss() / MiB

/** Buffers of which a few stay, here and there among those that go. */
function hold(count: number): Buffer[] {
  return Array.from({ length: count }, () => Buffer.alloc(6000)).filter((_, at) => at % 100 === 0)
}

/** Resident pages of files, in MiB. */
async function ofFiles(): Promise<number> {
  return Number(/^RssFile:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8'))![1]) / 1024
}

// malloc_trim is glibc's own
const onGlibc = process.platform === 'linux' && 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header
const withGlibc = onGlibc ? test.serial : test.serial.skip

withGlibc('pages of programs that nothing needs go back to the system, and come when they are called', async t => {
  const before = await ofFiles()
  await new RestingMemory().giveBack()
  const after = await ofFiles()
  t.true(after < 0.8 * before, `${before} MiB, then ${after} MiB`)
  t.is(new Intl.NumberFormat('de').format(1_234_567), '1.234.567')
  t.is(createHash('sha512').update('').digest('hex').slice(0, 8), 'cf83e135')
})

withGlibc('what the allocator holds between memory in use goes back to the system', async t => {
  const resting = new RestingMemory()
  const kept = hold(20_000)
  collectGarbage()
  const before = resident()
  await resting.giveBack()
  t.true(before - resident() > 64, `${before} MiB, then ${resident()} MiB`)
  t.is(kept.length, 200)
})

const MAPS = `55d0c0e00000-55d0c1000000 r--p 00000000 fe:00 8123                      /opt/node/bin/node
Rss:                1024 kB
Private_Dirty:         0 kB
Anonymous:             0 kB
AnonHugePages:         0 kB
Swap:                  0 kB
55d0c1000000-55d0c3000000 r-xp 00200000 fe:00 8123                      /opt/node/bin/node with a name
Anonymous:             0 kB
Swap:                  0 kB
`
const relocated =
  '7f0000000000-7f0000001000 r--p 00200000 fe:00 8124 /opt/a library\nAnonymous:             4 kB\nSwap:                  0 kB\n'
const swapped =
  '7f0000002000-7f0000003000 r--p 00200000 fe:00 8124 /opt/library\nAnonymous:             0 kB\nSwap:                  4 kB\n'
const written =
  '7f0000004000-7f0000005000 rw-p 00200000 fe:00 8124 /opt/library\nAnonymous:             0 kB\nSwap:                  0 kB\n'
const shared = '7f0000006000-7f0000007000 r--s 00200000 fe:00 8124 /opt/library\nAnonymous:             0 kB\nSwap:                  0 kB\n'
const ofNoFile = '7f0000008000-7f0000009000 r-xp 00000000 00:00 0 [vdso]\nAnonymous:             0 kB\nSwap:                  0 kB\n'

test('programs are mappings of files that nobody wrote to', t => {
  t.deepEqual(programs(relocated + MAPS + swapped + written + shared + ofNoFile), [
    { start: 0x55d0c0e00000, size: 0x200000 },
    { start: 0x55d0c1000000, size: 0x2000000 }
  ])
  t.deepEqual(programs(''), [])
})

test.serial('a process that has not grown since it rested is left alone', async t => {
  let trimmed = 0
  const resting = new RestingMemory(async () => ({ trim: () => void trimmed++, unload() {} }))
  await resting.giveBack()
  t.is(trimmed, 1)
  await resting.giveBack()
  t.is(trimmed, 1)
})
