import test from 'ava'
import { MOST_NAMED, Refusals } from '../../../core/network/refusals.ts'
import { until } from '../../helpers/until.ts'

/** Refusals that are told together for so many milliseconds, and the lines of them. */
function refusals(quiet: number, did?: string) {
  const lines: string[] = []
  const log = { warn: (...words: unknown[]) => void lines.push(String(words.at(-1))) }
  return { lines, of: new Refusals(log, did, quiet) }
}

test('each that is refused is named at once, and what it does again is counted', async t => {
  const { lines, of } = refusals(200)
  for (let i = 0; i < 5; i++) of.tell('the peer A', 'it floods')
  of.tell('the peer B', 'it floods')
  of.tell('the peer A', 'it lies')
  t.deepEqual(lines, ['refused the peer A: it floods', 'refused the peer B: it floods', 'refused the peer A: it lies'])
  await until('the time is over', () => lines.length > 3)
  t.is(lines[3], 'refused 4 more within 0.2 s: it floods')
  of.tell('the peer A', 'it floods')
  t.is(lines.at(-1), 'refused the peer A: it floods')
})

test('ever new peers and addresses fill no log, whatever they have a reason say, and hide no other reason', async t => {
  const { lines, of } = refusals(200, 'dropped')
  for (let i = 0; i < 100_000; i++) of.tell(`the peer ${i}`, `nonsense: ${i}`, 'nonsense')
  t.is(lines.length, MOST_NAMED)
  t.is(lines[0], 'dropped the peer 0: nonsense: 0')
  of.tell('a connection of 192.0.2.7', 'too many')
  t.is(lines[MOST_NAMED], 'dropped a connection of 192.0.2.7: too many')
  await until('the time is over', () => lines.length > MOST_NAMED + 1)
  t.is(lines.at(-1), `dropped ${100_000 - MOST_NAMED} more within 0.2 s: nonsense`)
})
