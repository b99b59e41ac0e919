import test from 'ava'
import fc from 'fast-check'
import { byteString, compareUtf8, decodeUtf8, encodeUtf8, fromByteString } from '../../../core/go/utf8.ts'

test('any bytes come back from their text', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      t.deepEqual(Uint8Array.from(encodeUtf8(decodeUtf8(bytes))), bytes)
    }),
    { numRuns: 300 }
  )
})

test('texts are in the order of their bytes', t => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 4 }).map(text => Buffer.from(text))
  )
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      t.is(Math.sign(compareUtf8(decodeUtf8(a), decodeUtf8(b))), Buffer.compare(a, b))
    }),
    { numRuns: 1000 }
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

test('sequences that are too long, too large or of surrogates are no UTF-8', t => {
  for (const bytes of [
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xe0, 0x9f, 0xbf],
    [0xed, 0xbf, 0xbf],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80],
    [0xe2, 0x82]
  ]) {
    t.is(decodeUtf8(Uint8Array.from(bytes)), String.fromCharCode(...bytes.map(byte => 0xdc00 + byte)))
  }
  for (const bytes of [
    [0xc2, 0x80],
    [0xe0, 0xa0, 0x80],
    [0xed, 0x9f, 0xbf],
    [0xee, 0x80, 0x80],
    [0xf0, 0x90, 0x80, 0x80],
    [0xf4, 0x8f, 0xbf, 0xbf]
  ]) {
    t.is(decodeUtf8(Uint8Array.from([0xff, ...bytes])), `\udcff${Buffer.from(bytes)}`)
  }
})

test('a surrogate that stands for no byte is written as U+FFFD', t => {
  t.deepEqual([...encodeUtf8('a\ud800')], [0x61, 0xef, 0xbf, 0xbd])
})
