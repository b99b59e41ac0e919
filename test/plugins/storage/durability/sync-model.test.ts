/** The protocol of syncs, in every order that its steps can come in, with a power loss after each. */
import test from 'ava'
import { explore } from '../explorer.ts'
import { type Case, modelOf } from './sync-cases.ts'
import type { Rule } from './sync-model.ts'

const cases: ReadonlyArray<readonly [what: string, which: Case]> = [
  ['two callers put and pin', { pin: ['a', 'b'] }],
  ['a caller puts and pins while compaction moves a block', { pin: ['a'], move: ['m'] }],
  ['the same from one segment to the next', { pin: ['a'], move: ['m'], limit: 1 }],
  ['a block is put anew while another is pinned', { pin: ['a'], again: ['b'] }],
  ['a sync fails while a block is pinned and another moved', { pin: ['a'], move: ['m'], failures: 1 }],
  ['a sync fails while two are pinned', { pin: ['a', 'b'], failures: 1 }]
]

/** On demand, since it takes as long as all others: some 230,000 states. */
const larger: typeof cases = [['a caller puts and pins while compaction moves two blocks', { pin: ['a'], move: ['m', 'n'] }]]

for (const [what, which] of process.env['EXPLORE_ALL'] ? [...cases, ...larger] : cases)
  test(`nothing that was promised is lost when ${what}`, t => {
    const { states, fault } = explore(modelOf(which))
    t.log(`${states} states`)
    t.is(fault, undefined)
  })

/** Each with a case that shows what the rule is for. */
const rules: ReadonlyArray<readonly [rule: Rule, which: Case, what: RegExp]> = [
  ['one sync of segments for all', { pin: ['a'], move: ['m'] }, /m is pinned/],
  ['one run at a time', { pin: ['a'], move: ['m', 'n'] }, /n is pinned/],
  ['a failure reaches all who wait', { pin: ['a'], move: ['m'], failures: 1 }, /was not told/],
  ['an appended block names its segment again', { pin: ['a', 'b'] }, /is believed/],
  ['blocks before their pin', { pin: ['a'] }, /a is pinned/],
  ['a key and its mark are one batch', { pin: ['a'] }, /a is believed/],
  ['a block is named before its mark is written', { pin: ['a'], again: ['b'] }, /b is believed/],
  ['marks of blocks written anew stay', { pin: ['a'], again: ['b'] }, /b is believed/],
  ['moved bytes before their key', { move: ['m'] }, /m is pinned/],
  ['moved keys before the segment goes', { move: ['m'] }, /m is believed/]
]

for (const [broken, which, what] of rules)
  test(`the exploration finds what is lost without the rule: ${broken}`, t => {
    const { states, fault } = explore(modelOf({ ...which, broken }))
    t.log(`${states} states; ${fault?.what}: ${fault?.steps.join(', ')}`)
    t.regex(fault?.what ?? '', what)
  })
