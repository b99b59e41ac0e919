import test from 'ava'
import { ArgumentList, type Lines } from '../../../core/binding/arguments.ts'
import { command, nothing, type Parameters, p } from '../../../core/index.ts'

function list<const A extends Parameters>(args: A): ArgumentList {
  return new ArgumentList(command.read('x', { help: '', args, reply: nothing(), run: () => {} }).args)
}

function lines(...texts: string[]): Lines & { left(): number } {
  return { next: async () => texts.shift(), left: () => texts.length }
}

test('words go from left to right, what is over is ignored, what takes many takes the rest', t => {
  t.deepEqual(list({ a: p.string(''), b: p.string('').optional() }).values(['1', '2', '3']), { a: '1', b: '2' })
  t.deepEqual(list({ a: p.string(''), b: p.string('').many() }).values(['1', '2', '3']), { a: '1', b: ['2', '3'] })
  t.deepEqual(list({ a: p.string(''), b: p.string('').many().optional() }).values(['1']), { a: '1', b: [] })
  t.deepEqual(list({ a: p.string('').default('d') }).values([]), { a: 'd' })
})

test('an optional argument lets a required one behind it have the last word', t => {
  const args = list({ a: p.string('').optional(), b: p.string('') })
  t.deepEqual(args.values(['1']), { a: undefined, b: '1' })
  t.deepEqual(args.values(['1', '2']), { a: '1', b: '2' })
})

test('the first argument that is missing is named as the wire names it', t => {
  const args = list({ ipfsPath: p.string(''), toPath: p.string('') })
  t.throws(() => args.check([]), { code: 'E_ARGUMENT_MISSING', message: 'argument "ipfs-path" is required' })
  t.throws(() => args.check(['']), { message: 'argument "to-path" is required' })
  t.notThrows(() => args.check(['', '']))
})

test('lines stand in for missing words, and all are taken where any number may come', async t => {
  const many = list({ a: p.string('').many().fromBody({ trim: true }) })
  const words: string[] = []
  const source = lines(' 1 ', ' 2 ', '3')
  await many.require(words, source)
  t.deepEqual(words, [' 1 '])
  await many.takeLines(words, source, 10)
  t.deepEqual(words, [' 1 ', '2', '3'])
})

test('lines are left alone where one value is enough', async t => {
  const single = list({ a: p.string('').fromBody() })
  const first = lines('1', '2')
  const words = ['0']
  await single.require(words, first)
  await single.takeLines(words, first, 10)
  t.deepEqual([words, first.left()], [['0'], 2])
  const once = list({ a: p.string('').many().fromBody({ firstLine: true }) })
  const second = lines('1', '2')
  const others: string[] = []
  await once.require(others, second)
  await once.takeLines(others, second, 10)
  t.deepEqual([others, second.left()], [['1'], 1])
})

test('no more words are taken than there may be', async t => {
  const many = list({ a: p.string('').many().fromBody() })
  const words = ['1']
  await t.notThrowsAsync(many.takeLines(words, lines('2', '3'), 3))
  await t.throwsAsync(many.takeLines(['1'], lines('2', '3', '4'), 3), { code: 'E_ARGUMENTS_TOO_MANY' })
})

test('a CID is parsed before the command runs', t => {
  t.is(
    String(list({ cid: p.cid('') }).values(['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn']).cid),
    'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  )
  t.throws(() => list({ cid: p.cid('') }).values(['nope']))
  t.is(list({ cid: p.cid('').raw() }).values(['nope']).cid, 'nope')
})

test('words of a command line are sent as their arguments have them on the wire', t => {
  const args = list({
    a: p.string('').typed(word => word.toUpperCase()),
    b: p
      .string('')
      .typed(word => `<${word}>`)
      .many()
      .optional()
  })
  t.deepEqual(args.sent(['x', 'y', 'z']), ['X', '<y>', '<z>'])
  t.deepEqual(args.sent([]), [])
  const last = list({
    a: p
      .string('')
      .optional()
      .typed(() => 'never'),
    b: p.string('')
  })
  t.deepEqual(last.sent(['x']), ['x'])
  t.deepEqual(list({ a: p.string('').typed(word => `<${word}>`) }).sent(['x', 'y']), ['<x>', 'y'])
})
