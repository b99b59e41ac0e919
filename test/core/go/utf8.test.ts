import test from 'ava'
import fc from 'fast-check'
import { byteString, decodeUtf8, encodeUtf8, fromByteString } from '../../../core/go/utf8.ts'

test('any bytes come back from their text', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      t.deepEqual(Uint8Array.from(encodeUtf8(decodeUtf8(bytes))), bytes)
    }),
    { numRuns: 300 }
  )
})

test('well-formed text is the same as ever', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), text => {
      t.is(decodeUtf8(Buffer.from(text)), text)
      t.is(fromByteString(byteString(text)), text)
      t.is(byteString(text).length, Buffer.byteLength(text))
    }),
    { numRuns: 200 }
  )
})

test('each byte of a broken sequence stands for itself, as in Go', t => {
  t.is(decodeUtf8(Uint8Array.of(0xe2, 0x82, 0x41)), '\udce2\udc82A')
  t.is(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80)), '\udced\udca0\udc80')
  t.is(decodeUtf8(Uint8Array.of(0xf0, 0x9f, 0x9a, 0x80, 0x80)), '🚀\udc80')
})

test('a surrogate that stands for no byte is written as U+FFFD', t => {
  t.deepEqual([...encodeUtf8('a\ud800')], [0x61, 0xef, 0xbf, 0xbd])
})
