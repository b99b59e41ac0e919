/** What was acknowledged is there after `kill -9` at any instant, and the repo opens without help. */
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { runLane } from './support/lane.ts'
import { operations } from './support/operations/operations.ts'

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 40)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const LANES = ['segments', 'files'] as const

test(`${ROUNDS} times kill -9 while a node stores, pins, collects, and changes its tree, keys, names and configuration loses nothing that was acknowledged`, async t => {
  t.timeout(60_000 + ROUNDS * 10_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often)`)
  const folder = await temporaryFolder(t)
  const rounds = Math.ceil(ROUNDS / LANES.length)
  const lanes = LANES.map((largeBlocks, i) => runLane(t, { folder: join(folder, largeBlocks), largeBlocks, rounds, seed: SEED + i }))
  const tallies = await Promise.all(lanes)
  const sum = (kind: 'answered' | 'interrupted', path: string) => tallies.reduce((all, counts) => all + (counts[kind].get(path) ?? 0), 0)
  for (const path of new Set(operations.map(({ path }) => path))) {
    t.log(`${path}: ${sum('answered', path)} acknowledged, ${sum('interrupted', path)} cut off`)
    if (ROUNDS >= 200) t.true(sum('answered', path) > 0 && sum('interrupted', path) > 0, path)
  }
})
