import { readFile } from 'node:fs/promises'
import test from 'ava'
import { type Exception, withExceptions } from './exceptions.ts'

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('the page on compatibility lists every exception as it is', async t => {
  const exceptions = JSON.parse(await read('test/conformance/exceptions.json')) as Exception[]
  const page = await read('docs/compatibility.md')
  t.is(withExceptions(page, exceptions), page, 'npm run docs writes it anew')
  for (const { reason } of exceptions) t.true(reason.length > 20, reason)
})

test('exceptions are told by reason, and by group where they await one', t => {
  const page = withExceptions('a <!-- written by npm run docs from test/conformance/exceptions.json --> old <!-- until here --> b', [
    { scenario: 'x', step: '1', reason: "needs 'mfs', a group that is not there yet: one" },
    { scenario: 'y', step: '1', reason: "needs 'mfs', a group that is not there yet" },
    { scenario: 'y', step: '2', reason: 'it crashes | there' }
  ])
  t.true(page.includes('| awaits `mfs` | 2 | x, y |\n| it crashes \\| there | 1 | y |\n'))
  t.false(page.includes('old'))
})
