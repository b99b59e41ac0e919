/**
 * Random calls on the mutable tree against a model in memory, at thresholds of 1 B to 1 MiB: files of every layout, moves into themselves,
 * appends, blocks that are lost and come back. What was acknowledged is there at the end.
 */
import test from 'ava'
import fc from 'fast-check'
import { gc, heal, play } from './play.ts'
import { setting, step } from './steps.ts'
import { World } from './world.ts'

/** Steps of all sequences; `MODEL_SEED` and `MODEL_PATH` repeat some. */
const STEPS = Number(process.env['MFS_STEPS'] ?? 1000)
const SEED = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const PATH = process.env['MODEL_PATH']
/** Steps of a sequence, none of which is left out. */
const LENGTH = 100

test(`${STEPS} random calls on the mutable tree lose nothing`, async t => {
  t.timeout(120_000 + STEPS * 100)
  t.log(`seed ${SEED} (MODEL_SEED repeats it, MFS_STEPS says how many)`)
  const played = new Map<string, number>()
  let count = 0
  const sequence = fc.asyncProperty(setting, fc.array(step, { minLength: LENGTH, maxLength: LENGTH }), async (setting, steps) => {
    const world = await World.start(setting)
    try {
      for (const one of steps) {
        if (!(await play(world, one))) continue
        count++
        played.set(one.kind, (played.get(one.kind) ?? 0) + 1)
      }
      await world.hold()
      await heal(world)
      await world.hold()
      await world.reopen()
      await gc(world)
      await world.hold()
    } finally {
      await world.host.stop()
    }
  })
  // those that would make a large tree larger are not played
  for (let seed = SEED; count < STEPS; seed++) {
    const numRuns = Math.ceil((STEPS - count) / LENGTH)
    await fc.assert(sequence, { numRuns, seed, ...(PATH === undefined ? {} : { path: PATH }) })
  }
  t.log(`${count} steps: ${[...played].map(([kind, times]) => `${kind} ${times}`).join(', ')}`)
  t.pass()
})
