import test from 'ava'
import { type Caller, command, nothing, p } from '../../../core/index.ts'
import { ActivityList } from '../../../host/calls/activity.ts'

const one = command.read('one', {
  help: '',
  args: { name: p.string('') },
  options: { dryRun: p.bool(''), many: p.string('').many() },
  reply: nothing(),
  run: () => {}
})
const all = command.read('all', { help: '', args: { names: p.string('').many() }, reply: nothing(), run: () => {} })

const caller: Caller = { transport: 'process' }

function called(list: ActivityList, times: number, words: readonly string[] = []) {
  for (let i = 0; i < times; i++) list.finish(list.begin(one, { words, options: {} }, caller))
}

test('a call is listed with the names of the wire, without what was not said', t => {
  const list = new ActivityList(100)
  list.begin(one, { words: ['a', 'b'], options: { encoding: 'json', dryRun: true, many: [], local: undefined } }, caller)
  list.begin(all, { words: ['a', 'b'], options: { cidBase: 'base32' } }, caller)
  const [first, second] = list.list()
  t.like(first, { id: 0, command: 'one', args: ['a', ''], end: undefined, caller })
  t.deepEqual(Object.entries(first!.options), [
    ['dry-run', true],
    ['encoding', 'json']
  ])
  t.like(second, { id: 1, args: ['a', 'b'], options: { 'cid-base': 'base32' } })
})

test('a secret is listed as stars, as an argument and as an option', t => {
  const list = new ActivityList(100)
  const secretive = command.read('secretive', {
    help: '',
    args: { name: p.string(''), keys: p.string('').many().secret() },
    options: { token: p.string('').secret() },
    reply: nothing(),
    run: () => {}
  })
  list.begin(secretive, { words: ['a', 'hidden', 'hidden'], options: { token: 'hidden' } }, caller)
  t.like(list.list()[0], { args: ['a', '***', '***'], options: { token: '***' } })
})

test('finished calls go when one ends while the list is a multiple of ten long', t => {
  const list = new ActivityList(100)
  called(list, 9)
  t.is(list.list().length, 9)
  called(list, 1)
  t.deepEqual(list.list(), [])
  const running = list.begin(one, { words: [], options: {} }, caller)
  called(list, 8)
  t.is(list.list().length, 9)
  list.clear()
  t.deepEqual(
    list.list().map(({ id }) => id),
    [running.id]
  )
})

test('they stay for as long as is wanted, but no more than the limit', t => {
  const list = new ActivityList(25)
  list.keepFor(3_600_000)
  called(list, 20)
  t.is(list.list().length, 20)
  called(list, 1000)
  const ids = list.list().map(({ id }) => id)
  t.is(ids.length, 25)
  t.is(ids.at(-1), 1019)
  t.is(ids[0], 1020 - ids.length)
  list.keepFor(0)
  called(list, 10)
  t.true(list.list().length < 10)
})

test('of a finished call only so much is kept', t => {
  const list = new ActivityList(25)
  list.keepFor(3_600_000)
  const long = 'x'.repeat(1 << 20)
  const gone: Caller = { transport: 'http', address: '127.0.0.1', userAgent: long }
  const record = list.begin(all, { words: Array.from({ length: 10_000 }, () => long), options: { cidBase: long, n: [long] } }, gone)
  t.is(list.list()[0]!.args.length, 10_000)
  list.finish(record)
  called(list, 9)
  const { args, options, caller: known } = list.list()[0]!
  t.is(args.length, 65)
  t.is(args.at(-1), '… and 9936 more')
  t.like(known, { transport: 'http', address: '127.0.0.1' })
  const held = [...args, options['cid-base'], (options['n'] as string[])[0], known.userAgent]
  for (const text of held) t.true((text as string).length <= 1025)
})
