import test from 'ava'
import { formatBytes, parseBytes } from '../../../core/go/bytes.ts'

for (const [text, size] of [
  ['10GB', 10_000_000_000n],
  ['256kiB', 262_144n],
  ['256KiB', 262_144n],
  ['5 KiB', 5_120n],
  ['1.5MB', 1_500_000n],
  ['1,005', 1_005n],
  ['0', 0n],
  ['42b', 42n],
  ['3g', 3_000_000_000n],
  ['3gi', 3_221_225_472n],
  ['2TiB', 2_199_023_255_552n],
  ['1EB', 1_000_000_000_000_000_000n],
  ['.5kB', 500n],
  ['1.0000001B', 1n]
] as const) {
  test(`${text} is ${size} bytes`, t => {
    t.is(parseBytes(text), size)
  })
}

test('what is no size is refused in the words that Go has for it', t => {
  const message = (text: string) => t.throws(() => parseBytes(text))?.message
  t.is(message(''), 'strconv.ParseFloat: parsing "": invalid syntax')
  t.is(message('not a size'), 'strconv.ParseFloat: parsing "": invalid syntax')
  t.is(message('-1'), 'strconv.ParseFloat: parsing "": invalid syntax')
  t.is(message('1.2.3MB'), 'strconv.ParseFloat: parsing "1.2.3": invalid syntax')
  t.is(message('10Elephants'), 'unhandled size name: elephants')
  t.is(message('1000EB'), 'too large: 1000EB')
})

for (const [size, text] of [
  [0n, '0 B'],
  [9n, '9 B'],
  [10n, '10 B'],
  [999n, '999 B'],
  [1000n, '1.0 kB'],
  [1024n, '1.0 kB'],
  [9949n, '9.9 kB'],
  [9999n, '10 kB'],
  [20_173n, '20 kB'],
  [20_500n, '20 kB'],
  [21_500n, '22 kB'],
  [999_999n, '1000 kB'],
  [1_000_000n, '1.0 MB'],
  [1_000_000_000n, '1.0 GB'],
  [3_221_225_472n, '3.2 GB'],
  [10_000_000_000n, '10 GB'],
  [1_000_000_000_000n, '1.0 TB'],
  [10n ** 15n, '1.0 PB'],
  [10n ** 18n, '1.0 EB'],
  [2n ** 64n - 1n, '18 EB']
] as const) {
  test(`${size} bytes are printed as ${text}`, t => {
    t.is(formatBytes(size), text)
    if (size < 2 ** 53) t.is(formatBytes(Number(size)), text)
  })
}
