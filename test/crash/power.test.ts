/** What was pinned is there after the machine lost its power: not one write that was not synced has to have reached the disk. */
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { runLane } from './support/lane.ts'
import { journaled, type Loss, losePower } from './support/power-loss.ts'

const ROUNDS = Math.ceil(Number(process.env['CRASH_ROUNDS'] ?? 100) / 10)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Rounds with collections on their way and syncs that take their time. */
const SLOW_ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 20)
/** Milliseconds: long beside all else that a pin waits for. */
const SLOWEST_SYNC = 300
/** At the same time, since most of what a lane does is to wait. */
const SLOW_LANES = ['segments', 'segments', 'files'] as const

for (const largeBlocks of ['segments', 'files'] as const)
  test.serial(`${ROUNDS} kills, some of them with a power loss: every pin that was acknowledged is whole (${largeBlocks})`, async t => {
    t.timeout(60_000 + ROUNDS * 10_000)
    t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often, times ten)`)
    const loss: Loss = { files: 0, bytes: 0 }
    let boot = 0
    const { answered } = await runLane(t, {
      folder: join(await temporaryFolder(t), 'lane'),
      largeBlocks,
      rounds: ROUNDS,
      seed: SEED,
      unpinnedMayGo: true,
      launch: repo => journaled(repo, boot),
      async damage(repo, random) {
        boot++
        await losePower(repo, random, loss)
      }
    })
    t.log(
      `lost: ${loss.bytes} bytes of ${loss.files} files; acknowledged: ${[...answered].map(([op, count]) => `${op} ${count}`).join(', ')}`
    )
    t.true(loss.bytes > 0)
  })

test.serial(`${SLOW_ROUNDS} power losses amid collections and slow syncs: every pin that was acknowledged is whole`, async t => {
  t.timeout(60_000 + SLOW_ROUNDS * 10_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often)`)
  const folder = await temporaryFolder(t)
  const rounds = Math.ceil(SLOW_ROUNDS / SLOW_LANES.length)
  const loss: Loss = { files: 0, bytes: 0 }
  const lanes = SLOW_LANES.map((largeBlocks, i) => {
    const seed = SEED + i
    let boot = 0
    return runLane(t, {
      folder: join(folder, `${i}`),
      largeBlocks,
      rounds,
      seed,
      collecting: true,
      unpinnedMayGo: true,
      launch: repo => journaled(repo, boot, { slowest: SLOWEST_SYNC, seed: seed + boot }),
      async damage(repo, random) {
        boot++
        await losePower(repo, random, loss)
      }
    })
  })
  const tallies = await Promise.all(lanes)
  const collections = tallies.reduce((sum, { answered }) => sum + (answered.get('repo/gc') ?? 0), 0)
  t.log(`lost: ${loss.bytes} bytes of ${loss.files} files; collections that ended: ${collections}`)
  t.true(loss.bytes > 0)
})
