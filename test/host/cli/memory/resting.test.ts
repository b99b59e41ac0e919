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

const NODE = '/opt/node/bin/node with a name'

const mapped = (range: string, how: string, file: string, { anonymous = 0, swap = 0 } = {}) =>
  `${range} ${how} 00200000 fe:00 ${file.startsWith('/') ? 8123 : 0}                      ${file}
Rss:                1024 kB
Anonymous:          ${anonymous} kB
AnonHugePages:         0 kB
Swap:               ${swap} kB
`

test('programs are code and what the program itself has to be read, of which no page was written to', t => {
  const taken = [
    mapped('55d0c0e00000-55d0c1000000', 'r--p', NODE),
    mapped('55d0c1000000-55d0c3000000', 'r-xp', NODE),
    mapped('7f00-7f10', 'r-xp', '/opt/library.so')
  ]
  const left = [
    mapped('7f10-7f20', 'r--p', '/opt/library.so'),
    mapped('7f20-7f30', 'r--p', NODE, { anonymous: 4 }),
    mapped('7f30-7f40', 'r-xp', '/opt/library.so', { anonymous: 4 }),
    mapped('7f40-7f50', 'r-xp', '/opt/library.so', { swap: 4 }),
    mapped('7f50-7f60', 'rw-p', NODE),
    mapped('7f60-7f70', 'rwxp', NODE),
    mapped('7f70-7f80', 'r--s', NODE),
    mapped('7f80-7f90', 'r-xp', '[vdso]')
  ]
  t.deepEqual(programs([...left, ...taken, ...left].join(''), NODE), [
    { start: 0x55d0c0e00000, size: 0x200000 },
    { start: 0x55d0c1000000, size: 0x2000000 },
    { start: 0x7f00, size: 0x10 }
  ])
  t.deepEqual(programs('', NODE), [])
})

test.serial('a process that has not grown since it rested is left alone', async t => {
  let trimmed = 0
  const resting = new RestingMemory(async () => ({ trim: () => void trimmed++, unload() {} }))
  await resting.giveBack()
  t.is(trimmed, 1)
  await resting.giveBack()
  t.is(trimmed, 1)
})
