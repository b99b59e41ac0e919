import test from 'ava'
import { OptionTable } from '../../../core/binding/options.ts'
import { command, nothing, p } from '../../../core/index.ts'

const declared = command.read('x', {
  help: '',
  options: {
    rawLeaves: p.bool('').alias('l', 'leaves'),
    depth: p.int('').default(-1),
    count: p.uint(''),
    offset: p.int64(''),
    size: p.uint64(''),
    ratio: p.float(''),
    name: p.string('').default('me'),
    list: p.string('').many(),
    wait: p.duration(''),
    rawWait: p.duration('').raw(),
    cid: p.cid('')
  },
  reply: nothing(),
  run: () => {}
})
const table = new OptionTable(declared.options)
const read = (...pairs: Array<[string, string]>) => table.values(table.gather(pairs))

test('what is not said has its default, and costs no new object', t => {
  t.is(read(), table.defaults)
  t.like(table.defaults, { depth: -1, name: 'me', list: [], encoding: 'json', rawLeaves: undefined })
  t.true(Object.isFrozen(table.defaults))
})

test('every alias of an option means it', t => {
  for (const name of ['raw-leaves', 'l', 'leaves']) t.is(read([name, 'true']).rawLeaves, true)
  t.is(read(['enc', 'text']).encoding, 'text')
  t.is(read(['L', '1']).local, true)
})

test('names that nobody declared are ignored, those of Object among them', t => {
  t.deepEqual(read(['nope', '1'], ['nope', '2'], ['__proto__', 'x'], ['constructor', 'y'], ['rawLeaves', 'x'], ['--name', 'x']), {
    ...table.defaults
  })
})

test('booleans are 1, t, true, 0, f, false in any case, and nothing is true', t => {
  for (const yes of ['', '1', 't', 'T', 'true', 'TRUE', 'tRuE']) t.true(read(['l', yes]).rawLeaves)
  for (const no of ['0', 'f', 'F', 'false', 'False']) t.false(read(['l', no]).rawLeaves)
  for (const bad of ['yes', '2', ' true', 'true ', 'é']) {
    t.throws(() => read(['l', bad]), {
      code: 'E_OPTION_VALUE',
      message: `could not convert value "${bad}" to type "bool" (for option "-raw-leaves")`
    })
  }
})

test('integers have 32 or 64 bits and any base of Go', t => {
  t.is(read(['depth', '0x10']).depth, 16)
  t.is(read(['depth', '-2147483648']).depth, -2147483648)
  t.is(read(['count', '4294967295']).count, 4294967295)
  t.is(read(['offset', '010']).offset, 8n)
  t.is(read(['offset', '9223372036854775807']).offset, 9223372036854775807n)
  t.is(read(['size', '18446744073709551615']).size, 18446744073709551615n)
  t.is(read(['ratio', '1e-3']).ratio, 0.001)
  for (const [name, kind, ...values] of [
    ['depth', 'int', '2147483648'],
    ['count', 'uint', '-1', '4294967296'],
    ['offset', 'int64', '9223372036854775808'],
    ['size', 'uint64', '18446744073709551616'],
    ['ratio', 'float64', 'x']
  ] as const)
    for (const value of values)
      t.throws(() => read([name, value]), { message: `could not convert value "${value}" to type "${kind}" (for option "-${name}")` })
  t.throws(() => read(['depth', '']), { message: 'could not convert empty value to type "int" (for option "-depth")' })
})

test('an option that is no list may be said once', t => {
  t.throws(
    () =>
      table.gather([
        ['depth', '1'],
        ['depth', '']
      ]),
    {
      code: 'E_OPTION_TWICE',
      message: 'expected key depth to have only a single value, received [1 ]'
    }
  )
  t.throws(
    () =>
      table.gather([
        ['l', 'a'],
        ['l', 'b']
      ]),
    { message: 'expected key raw-leaves to have only a single value, received [a b]' }
  )
  t.is(read(['l', 'true'], ['leaves', 'false']).rawLeaves, false)
  t.deepEqual(read(['list', 'a'], ['list', 'b,c']).list, ['a', 'b,c'])
})

test('formats become values unless they are wanted raw, and their complaint is their parser’s', t => {
  const formats = (...pairs: Array<[string, string]>) => {
    const given = table.gather(pairs)
    return table.formats(given, table.values(given))
  }
  t.is(formats(['wait', '1m30s']).wait, 90_000_000_000n)
  t.is(formats(['raw-wait', 'soon']).rawWait, 'soon')
  t.throws(() => formats(['wait', '10']), { message: 'time: missing unit in duration "10"' })
  t.throws(() => formats(['cid', 'nope']), { message: /invalid cid/ })
})
