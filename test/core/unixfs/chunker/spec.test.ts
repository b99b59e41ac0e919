import test from 'ava'
import { parseChunker } from '../../../../core/unixfs/chunker/index.ts'

const refused: Readonly<Record<string, string>> = {
  size: 'unrecognized chunker option: size',
  'SIZE-100': 'unrecognized chunker option: SIZE-100',
  'buzhash-1': 'unrecognized chunker option: buzhash-1',
  'size-': 'strconv.Atoi: parsing "": invalid syntax',
  'size-0x100': 'strconv.Atoi: parsing "0x100": invalid syntax',
  'size--1': 'strconv.Atoi: parsing "": invalid syntax',
  'size-99999999999999999999': 'strconv.Atoi: parsing "99999999999999999999": value out of range',
  'size-0': 'chunker size must be greater than 0',
  'size-1048577': 'chunker parameters may not exceed the maximum chunk size of 1048576',
  'rabin-': 'strconv.Atoi: parsing "": invalid syntax',
  'rabin-700000': 'chunker parameters may not exceed the maximum chunk size of 1048576',
  'rabin-1-2': "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'",
  'rabin-15-100-200': 'rabin min must be greater than 16',
  'rabin-100-100-200': 'incorrect format: rabin-min must be smaller than rabin-avg',
  'rabin-100-200-200': 'incorrect format: rabin-avg must be smaller than rabin-max',
  'rabin-100-200-1048577': 'chunker parameters may not exceed the maximum chunk size of 1048576',
  'rabin-max:100-avg:200-min:300': 'first label must be min',
  'rabin-min:100-max:200-avg:300': 'second label must be avg',
  'rabin-min:100-avg:200-avg:300': 'final label must be max'
}

test('a chunker that cannot be is refused in the words of the reference', t => {
  for (const [text, message] of Object.entries(refused)) t.throws(() => parseChunker(text), { message }, text)
})

test('a chunker says how long its chunks can become', t => {
  const longest: Readonly<Record<string, number>> = {
    '': 262_144,
    default: 262_144,
    'size-+100': 100,
    'size-100-200': 100,
    rabin: 393_216,
    rabinx: 393_216,
    'rabin-1000': 1500,
    'rabin-min:16-avg:32-max:64': 64,
    buzhash: 524_288
  }
  for (const [text, most] of Object.entries(longest)) t.is(parseChunker(text)().most, most, text)
})
