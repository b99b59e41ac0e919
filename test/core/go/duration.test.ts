import test from 'ava'
import fc from 'fast-check'
import { formatDuration, parseDuration } from '../../../core/go/duration.ts'

const second = 1_000_000_000n

for (const [text, nanoseconds] of [
  ['0', 0n],
  ['-0', 0n],
  ['300ms', 300_000_000n],
  ['1.5h', 5400n * second],
  ['1m30s', 90n * second],
  ['-10s', -10n * second],
  ['+.5s', second / 2n],
  ['1.s', second],
  ['2us3µs4μs', 9000n],
  ['1ns', 1n],
  ['0.3333333333333333333h', 1_200_000_000_000n],
  ['9223372036854775807ns', 9223372036854775807n],
  ['-9223372036854775808ns', -9223372036854775808n]
] as const) {
  test(`the duration ${text} is ${nanoseconds} nanoseconds`, t => t.is(parseDuration(text), nanoseconds))
}

for (const [text, complaint] of [
  ['', 'time: invalid duration ""'],
  ['x', 'time: invalid duration "x"'],
  ['-', 'time: invalid duration "-"'],
  ['.s', 'time: invalid duration ".s"'],
  ['10', 'time: missing unit in duration "10"'],
  ['1.', 'time: missing unit in duration "1."'],
  ['7d', 'time: unknown unit "d" in duration "7d"'],
  ['1s ', 'time: unknown unit "s " in duration "1s "'],
  ['1"', 'time: unknown unit "\\"" in duration "1\\""'],
  ['1é', 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ['3000000h', 'time: invalid duration "3000000h"']
] as const) {
  test(`the duration ${JSON.stringify(text)} is refused in Go's words`, t => {
    t.is(t.throws(() => parseDuration(text)).message, complaint)
  })
}

test('a digit string of any length neither blocks nor passes', t => {
  t.throws(() => parseDuration(`${'9'.repeat(1_000_000)}s`), { code: 'E_DURATION_INVALID' })
})

test('durations are printed in the largest units that fit', t => {
  t.is(formatDuration(0n), '0s')
  t.is(formatDuration(1n), '1ns')
  t.is(formatDuration(1500n), '1.5µs')
  t.is(formatDuration(2_000_000n), '2ms')
  t.is(formatDuration(90n * second), '1m30s')
  t.is(formatDuration(3600n * second), '1h0m0s')
  t.is(formatDuration(-3_723_500_000_000n), '-1h2m3.5s')
})

test('a printed duration reads back as itself', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), duration => parseDuration(formatDuration(duration)) === duration),
      { numRuns: 300 }
    )
  )
})
