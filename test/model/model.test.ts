/**
 * Random sequences of calls against a model in memory: what is read, listed, resolved and pinned is the same, also after collections, starts
 * and kills.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { temporaryFolder } from '../helpers/folder.ts'
import { setting, step } from './steps.ts'
import { play } from './store-steps.ts'
import { World } from './world.ts'

/** Sequences; `MODEL_RUNS` says how many, `MODEL_SEED` and `MODEL_PATH` repeat some. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 60)
const SEED = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const PATH = process.env['MODEL_PATH']

/** At the same time, since much of what a sequence does is to wait for the disk. */
const LANES = PATH === undefined ? 4 : 1

test(`${RUNS} random sequences of calls leave what a node in memory would hold`, async t => {
  t.timeout(60_000 + RUNS * 10_000)
  t.log(`seed ${SEED} (MODEL_SEED repeats it, MODEL_RUNS says how many)`)
  const folder = await temporaryFolder(t)
  const played = new Map<string, number>()
  let number = 0
  const sequence = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), setting, async (steps, settings) => {
    const world = new World(join(folder, `repo-${number++}`), settings)
    try {
      await world.start()
      for (const one of steps) {
        await play(world, one)
        const kind = one.kind === 'kill' && settings.process === 'child' ? 'kill -9' : one.kind
        played.set(kind, (played.get(kind) ?? 0) + 1)
      }
      await play(world, { kind: 'check' })
      await play(world, { kind: 'gc' })
      await play(world, { kind: 'reopen' })
      await play(world, { kind: 'check' })
    } finally {
      await world.stop()
      await rm(world.repo, { recursive: true, force: true })
    }
  })
  const lane = async (_: unknown, i: number) => {
    const numRuns = Math.ceil(RUNS / LANES)
    try {
      await fc.assert(sequence, { numRuns, seed: SEED + i, ...(PATH === undefined ? {} : { path: PATH }) })
      return numRuns
    } catch (error) {
      t.log(((error as Error).cause as Error | undefined)?.stack)
      throw error
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane))
  const passed = ended.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  t.log(`${passed.reduce((sum, runs) => sum + runs, 0)} passed: ${[...played].map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
  t.pass()
})
