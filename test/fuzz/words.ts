import assert from 'node:assert/strict'
import fc from 'fast-check'
import { checkHostConfig } from '../../config/host/check.ts'
import { nodeConfigModel } from '../../config/node/index.ts'
import { ArgumentList } from '../../core/binding/arguments.ts'
import { OptionTable } from '../../core/binding/options.ts'
import { parseBytes } from '../../core/go/bytes.ts'
import { formatDuration, parseDuration } from '../../core/go/duration.ts'
import { formatFloat64, parseBool, parseFloat64, parseInteger } from '../../core/go/number.ts'
import { parseQuery, queryUnescape } from '../../core/go/query.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'
import { p } from '../../core/index.ts'
import { attempt, type Fuzz, fuzz, same, textAmong } from './fuzz.ts'

const NUMBERS = ['0', '1', '9', '_', '-', '+', '.', 'e', '0x', '0b', '0o', 'p', 'inf', 'nan', '99999999999999999999']
const UNITS = ['h', 'm', 's', 'ms', 'us', 'µs', 'ns', '.', '-', '1', '5', '9', '999999999999']
const SIZES = ['kB', 'KiB', 'MB', 'GB', 'EiB', '.', ',', ' ', '1', '9', '5', '-']
const QUERY = ['a', '=', '&', '%', '%41', '%zz', '+', ';', 'arg', '%ff', '%2']

const table = new OptionTable({
  flag: p.bool('').alias('f'),
  count: p.int('').default(1),
  size: p.uint64(''),
  ratio: p.float(''),
  wait: p.duration(''),
  of: p.cid(''),
  list: p.string('').many()
})
const list = new ArgumentList({ first: p.string(''), second: p.string('').optional(), others: p.string('').many().optional() })
const option = fc.tuple(
  fc.constantFrom('flag', 'f', 'count', 'size', 'ratio', 'wait', 'of', 'list', 'unknown', '__proto__', 'constructor'),
  textAmong([...NUMBERS, 'true', 'bafkqaaa'], 4)
)

/** JSON with keys that mean something to JavaScript, or to the configuration. */
const odd = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e300, '', 'on', '/ip4/127.0.0.1/tcp/0', [], {}),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(
          fc.constantFrom(
            '__proto__',
            'constructor',
            'toString',
            'Datastore',
            'Addresses',
            'API',
            'Swarm',
            'plugins',
            'rpc',
            'limits',
            'headerBytes',
            'x'
          ),
          tie('value')
        ),
        { maxLength: 4 }
      )
      .map(
        entries => JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`) as unknown
      )
  )
})).value

function unpolluted(): void {
  assert.deepEqual(Object.keys(Object.prototype), [])
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
}

export const words: readonly Fuzz[] = [
  fuzz('duration: any text is read or refused, and what is read comes back', textAmong(UNITS), text => {
    const read = attempt(() => parseDuration(text))
    if (read !== undefined) same(parseDuration(formatDuration(read)), read)
  }),
  fuzz('duration: nanoseconds come back', fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), nanoseconds => {
    const gap = parseDuration(formatDuration(nanoseconds)) - nanoseconds
    // a fraction goes through a float, as in Go
    assert.ok(gap <= 1n && gap >= -1n, String(gap))
  }),
  fuzz(
    'integer: any text is read or refused, and is within its bits',
    fc.tuple(textAmong(NUMBERS, 6), fc.constantFrom(32, 64), fc.boolean()),
    ([text, bits, signed]) => {
      const read = attempt(() => parseInteger(text, bits, signed))
      if (read === undefined) return
      same(signed ? BigInt.asIntN(bits, read) : BigInt.asUintN(bits, read), read)
      same(parseInteger(String(read), bits, signed), read)
    }
  ),
  fuzz('float: any text is read or refused', textAmong(NUMBERS, 6), text => {
    attempt(() => parseFloat64(text))
  }),
  fuzz('float: numbers come back', fc.double({ noDefaultInfinity: true, noNaN: true }), value =>
    same(parseFloat64(formatFloat64(value)), value)
  ),
  fuzz('bool: any text is read or refused', textAmong(['t', 'T', 'true', 'TRUE', '1', '0', 'f', 'yes'], 2), text => {
    attempt(() => parseBool(text))
  }),
  fuzz('size: any text is read or refused', textAmong(SIZES), text => {
    const read = attempt(() => parseBytes(text))
    if (read !== undefined) assert.ok(read >= 0n && read < 2n ** 64n)
  }),
  fuzz(
    'query: any bytes are read',
    textAmong(QUERY, 20).map(text => Buffer.from(text).toString('latin1')),
    query => {
      for (const [key, value] of parseQuery(query)) assert.ok(typeof key === 'string' && typeof value === 'string')
      attempt(() => queryUnescape(query))
    }
  ),
  fuzz(
    'query: pairs come back',
    fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), { maxLength: 5 }),
    pairs => {
      same(
        parseQuery(pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')),
        pairs.filter(pair => pair.join('') !== '' || pairs.length > 0)
      )
    }
  ),
  fuzz('text: bytes that are no UTF-8 come back', fc.uint8Array({ maxLength: 40 }), bytes =>
    same(encodeUtf8(decodeUtf8(bytes)), Buffer.from(bytes))
  ),
  fuzz('options: any words are values or refused', fc.array(option, { maxLength: 6 }), pairs => {
    const values = attempt(() => {
      const given = table.gather(pairs)
      return table.formats(given, table.values(given))
    })
    if (values !== undefined) same(Object.keys(values).sort(), Object.keys(table.defaults).sort())
    unpolluted()
  }),
  fuzz(
    'arguments: any words are values or refused, and none is lost or made up',
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 6 }),
    given => {
      if (attempt(() => list.check(given) ?? true) === undefined) return
      const { first, second, others } = list.values(given) as { first: string; second?: string; others: string[] }
      same([first, ...(second === undefined ? [] : [second]), ...others], given)
    }
  ),
  fuzz(
    'host configuration: any value is taken or refused',
    odd,
    value => {
      attempt(() => checkHostConfig(value, 'holdfast.config.json'))
      unpolluted()
    },
    0.2
  ),
  fuzz(
    'node configuration: any value is taken or refused',
    odd,
    value => {
      attempt(() => nodeConfigModel.parse(JSON.stringify(value), 'config'))
      unpolluted()
    },
    0.2
  )
]
