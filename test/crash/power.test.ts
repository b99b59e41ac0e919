/** What was pinned is there after the machine lost its power: not one write that was not synced has to have reached the disk. */
import test from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { runLane } from './support/lane.ts'
import { journaled, type Loss, losePower } from './support/power-loss.ts'

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 200) / 5
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

test(`${ROUNDS} times the power fails, and every pin that was acknowledged is whole`, async t => {
  t.timeout(60_000 + ROUNDS * 10_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often, times five)`)
  const loss: Loss = { files: 0, bytes: 0 }
  let boot = 0
  const { answered } = await runLane(t, {
    folder: await temporaryFolder(t),
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
