import test from 'ava'
import fc from 'fast-check'
import { formatFloat32, formatFloat64, parseBool, parseFloat64, parseInteger } from '../../../core/go/number.ts'

test('integers are read in the base that their prefix names', t => {
  t.is(parseInteger('42'), 42n)
  t.is(parseInteger('-0x1F'), -31n)
  t.is(parseInteger('+0o17'), 15n)
  t.is(parseInteger('017'), 15n)
  t.is(parseInteger('0b101'), 5n)
  t.is(parseInteger('1_000_000'), 1_000_000n)
  t.is(parseInteger('0x_ff'), 255n)
  t.is(parseInteger('0'), 0n)
})

for (const text of ['', '-', '+', 'x', '1.5', ' 1', '1_', '_1', '1__0', '0x', '08', '0b2', '1e3', '٣']) {
  test(`${JSON.stringify(text)} is no integer`, t => {
    t.is(t.throws(() => parseInteger(text)).message, `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  })
}

test('integers stay within their bits', t => {
  t.is(parseInteger('-2147483648', 32), -2147483648n)
  t.is(parseInteger('4294967295', 32, false), 4294967295n)
  t.is(parseInteger('18446744073709551615', 64, false), 2n ** 64n - 1n)
  for (const [text, bits, signed] of [
    ['2147483648', 32, true],
    ['-2147483649', 32, true],
    ['4294967296', 32, false]
  ] as const) {
    t.throws(() => parseInteger(text, bits, signed), { code: 'E_NUMBER_RANGE', message: /value out of range$/ })
  }
})

test('an unsigned integer takes no sign', t => {
  t.is(t.throws(() => parseInteger('-1', 64, false)).message, 'strconv.ParseUint: parsing "-1": invalid syntax')
  t.throws(() => parseInteger('+1', 64, false), { code: 'E_NUMBER_SYNTAX' })
})

test('with a given base there are no prefixes and no underscores', t => {
  t.is(parseInteger('010', 64, true, 10), 10n)
  t.is(parseInteger('ff', 64, true, 16), 255n)
  t.throws(() => parseInteger('0x1', 64, true, 10), { code: 'E_NUMBER_SYNTAX' })
  t.throws(() => parseInteger('1_0', 64, true, 10), { code: 'E_NUMBER_SYNTAX' })
})

test('every 64-bit integer is read from its decimal form', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), value => parseInteger(String(value)) === value),
      { numRuns: 200 }
    )
  )
})

test('floats are read as Go writes them', t => {
  t.is(parseFloat64('1.5'), 1.5)
  t.is(parseFloat64('.5e1'), 5)
  t.is(parseFloat64('1.'), 1)
  t.is(parseFloat64('-1_0.5'), -10.5)
  t.is(parseFloat64('+Inf'), Number.POSITIVE_INFINITY)
  t.is(parseFloat64('-infinity'), Number.NEGATIVE_INFINITY)
  t.is(parseFloat64('nan'), Number.NaN)
  t.is(parseFloat64('0x1p-2'), 0.25)
  t.is(parseFloat64('0x1.8p1'), 3)
  t.is(parseFloat64('0x1p-1074'), Number.MIN_VALUE)
})

for (const text of ['', '.', 'e5', '1e', '1 ', '0x1', '1__0', '_1', '1_.5', 'infinit']) {
  test(`${JSON.stringify(text)} is no float`, t => {
    t.is(t.throws(() => parseFloat64(text)).message, `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`)
  })
}

test('a float beyond 64 bits is out of range', t => {
  t.throws(() => parseFloat64('1e400'), { code: 'E_NUMBER_RANGE' })
  t.throws(() => parseFloat64('0x1p1024'), { code: 'E_NUMBER_RANGE' })
})

test('a hexadecimal float names exactly the number it was made from', t => {
  const hex = (value: number) => {
    const bits = new DataView(new ArrayBuffer(8))
    bits.setFloat64(0, value)
    const raw = bits.getBigUint64(0)
    const exponent = Number((raw >> 52n) & 2047n)
    const mantissa = (raw & (2n ** 52n - 1n)).toString(16).padStart(13, '0')
    return `${raw >> 63n ? '-' : ''}0x${exponent === 0 ? 0 : 1}.${mantissa}p${Math.max(exponent, 1) - 1023}`
  }
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => Object.is(parseFloat64(hex(value)), value)),
      { numRuns: 200 }
    )
  )
})

test('truth is written in few ways, and nothing means true', t => {
  for (const text of ['', '1', 't', 'T', 'true', 'TRUE', 'tRuE']) t.true(parseBool(text))
  for (const text of ['0', 'f', 'F', 'false', 'False']) t.false(parseBool(text))
  t.is(t.throws(() => parseBool('yes')).message, 'strconv.ParseBool: parsing "yes": invalid syntax')
})

test('floats are printed as in JSON, those of 32 bits with the digits they need', t => {
  t.is(formatFloat64(1e21), '1e+21')
  t.is(formatFloat64(1e-7), '1e-7')
  t.is(formatFloat64(-0), '-0')
  t.is(formatFloat32(106 / 99), '1.0707071')
  t.is(formatFloat32(1), '1')
  t.is(formatFloat32(0.1), '0.1')
})

test('the shortest form of a 32-bit float reads back as itself', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), value => Object.is(Math.fround(Number(formatFloat32(value))), value)),
      {
        numRuns: 300
      }
    )
  )
})
