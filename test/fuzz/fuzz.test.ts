import test from 'ava'
import { properties } from './all.ts'

/** Few of each here; `npm run test:fuzz` runs a million. */
const RUNS = 150
const seed = Date.now() & 0x7fffffff

for (const { name, run, weight } of properties) {
  test(name, async t => {
    await run(Math.max(20, Math.ceil(RUNS * weight)), seed)
    t.pass()
  })
}

test('every property has a name of its own', t => {
  t.is(new Set(properties.map(({ name }) => name)).size, properties.length)
})
