/** What was pinned is there after the machine lost its power: not one write that was not synced has to have reached the disk. */
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { runLane } from './support/lane.ts'
import { journaled, type Loss, losePower } from './support/power-loss.ts'

const ROUNDS = Math.ceil(Number(process.env['CRASH_ROUNDS'] ?? 200) / 10)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

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
