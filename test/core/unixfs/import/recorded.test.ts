import test from 'ava'
import { answersTo, recordedAdds } from './recorded.ts'

const scenarios = [
  'add-chunkers',
  'add-cid-options',
  'add-combined',
  'add-directories',
  'add-hash-only-and-pins',
  'add-hashes',
  'add-inline',
  'add-output',
  'add-sharded',
  'add-sharding-threshold',
  'add-sizes',
  'add-symlinks',
  'add-trickle',
  'add-two-levels',
  'add-wrapped'
]

/** Where the scenario's node was configured so. */
const thresholds: Readonly<Record<string, number>> = { 'add-sharded': 1 }

for (const scenario of scenarios) {
  test(`an import tells what the reference answered: ${scenario}`, async t => {
    const steps = await recordedAdds(scenario)
    t.true(steps.length > 0)
    for (const step of steps) {
      const { answers, error } = await answersTo(step, thresholds[scenario] ?? 262_144)
      t.deepEqual(answers, step.response.json, step.name)
      t.is(error, step.response.trailers?.['x-stream-error'], step.name)
    }
  })
}
