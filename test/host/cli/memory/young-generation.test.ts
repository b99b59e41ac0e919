import { execFileSync } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import test from 'ava'
import { YoungGeneration } from '../../../../host/cli/memory/young-generation.ts'

const MIB = 1 << 20
const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size

/** Work of which much survives each collection, as it takes to make V8 enlarge the young generation, in turns that are short. */
async function work(): Promise<void> {
  const kept: unknown[][] = []
  for (let turn = 0; turn < 2000; turn++) {
    kept.push(Array.from({ length: 5000 }, (_, i) => ({ turn, i })))
    if (kept.length > 40) kept.shift()
    await setImmediate()
  }
}

test('it is let grow, stopped once it is large enough, and let grow again', t => {
  const flags: string[] = []
  let bytes = MIB
  const young = new YoungGeneration({ size: () => bytes, setFlag: flag => flag.startsWith('--semi-space') && flags.push(flag) })
  young.look()
  t.deepEqual(flags, ['--semi-space-growth-factor=2'])
  bytes = 8 * MIB
  young.look()
  t.deepEqual(flags.splice(0), ['--semi-space-growth-factor=2', '--semi-space-growth-factor=1'])
  bytes = MIB
  young.letGrow()
  t.deepEqual(flags, ['--semi-space-growth-factor=2'])
  bytes = 16 * MIB
  young.look()
  t.is(flags.at(-1), '--semi-space-growth-factor=1')
})

test.serial('the heap of a process that works grows no further than that', async t => {
  new YoungGeneration()
  await work()
  t.true(size() <= 8 * MIB, `${size() / MIB} MiB`)
  setFlagsFromString('--semi-space-growth-factor=2')
  await work()
  t.true(size() > 8 * MIB, `${size() / MIB} MiB: the work is not such that it would grow`)
})

test('its flags are such that V8 knows', t => {
  const flags: string[] = []
  new YoungGeneration({ size: () => 0, setFlag: flag => flags.push(flag) })
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of flags) t.regex(known, new RegExp(`^ +--${flag.replace(/^--(no-)?/, '').replace(/=.*/, '')} `, 'm'))
  t.is(flags.length, 3)
})
