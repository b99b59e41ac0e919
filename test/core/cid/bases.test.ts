import test from 'ava'
import fc from 'fast-check'
import { decodeMultibase, encodeMultibase, multibaseByName, multibases } from '../../../core/cid/bases.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'

const bytes = fc.uint8Array({ maxLength: 50 })

for (const base of multibases) {
  test(`bytes come back from ${base.name}`, t => {
    fc.assert(
      fc.property(bytes, original => {
        if (original.length === 0 && /^base(36|58)/.test(base.name)) return
        const text = encodeMultibase(base, original)
        const decoded = decodeMultibase(encodeUtf8(text))
        t.is(decoded.base, base)
        t.deepEqual(Uint8Array.from(decoded.bytes), original)
        t.deepEqual(Uint8Array.from(decodeMultibase(text).bytes), original)
      }),
      { numRuns: 60 }
    )
  })
}

for (const name of ['base36', 'base36upper', 'base58btc', 'base58flickr']) {
  test(`long inputs come back from ${name}`, t => {
    const base = multibaseByName(name)
    const long = fc.uint8Array({ minLength: 100, maxLength: 3000 })
    fc.assert(
      fc.property(long, fc.nat(3), (tail, zeros) => {
        const original = new Uint8Array(zeros + tail.length)
        original.set(tail, zeros)
        t.deepEqual(Uint8Array.from(decodeMultibase(encodeMultibase(base, original)).bytes), original)
      }),
      { numRuns: 25 }
    )
  })
}

test('a base is found by its name and by its prefix', t => {
  t.is(multibaseByName('base32').prefix, 'b')
  t.is(multibaseByName('Z').name, 'base58flickr')
  t.is(multibaseByName('🚀').name, 'base256emoji')
})

test('unknown bases are named in the complaint', t => {
  t.is(t.throws(() => multibaseByName('base8')).message, 'unsupported multibase encoding: base8')
  t.is(t.throws(() => multibaseByName('')).message, 'empty multibase encoding')
})

for (const [text, hex] of [
  ['f68656C6C6F', '68656c6c6f'],
  ['bnbswy3d', '68656c6c'],
  ['bnbs\nwy3dp', '68656c6c6f'],
  ['bnbswy3dpb', '68656c6c6f'],
  ['cnbswy3dp', '68656c6c6f'],
  ['cnbswy3dpbi======', '68656c6c6f0a'],
  ['MaGVs\r\nbG8=', '68656c6c6f'],
  ['MaA=\n=', '68'],
  ['z111', '000000'],
  ['k000', '000000'],
  ['01', '01'],
  ['🚀😀', '49']
] as const) {
  test(`${JSON.stringify(text)} is ${hex}`, t => t.is(Buffer.from(decodeMultibase(text).bytes).toString('hex'), hex))
}

for (const [text, complaint] of [
  ['', 'cannot decode multibase for zero length string'],
  ['x', 'selected encoding not supported'],
  ['é', 'selected encoding not supported'],
  ['f686', 'encoding/hex: odd length hex string'],
  ['f6865z', "encoding/hex: invalid byte: U+007A 'z'"],
  ['f6\n', 'encoding/hex: invalid byte: U+000A'],
  ['fé', "encoding/hex: invalid byte: U+00C3 'Ã'"],
  ['bnbswy3dp=', 'illegal base32 data at input byte 8'],
  ['cnbswy3dp======', 'illegal base32 data at input byte 8'],
  ['cnbswy3dpb', 'illegal base32 data at input byte 8'],
  ['cnbswy3dpbi=====', 'illegal base32 data at input byte 15'],
  ['cnbswy3dpbi=a====', 'illegal base32 data at input byte 10'],
  ['c1bswy3dpbi======', 'illegal base32 data at input byte 0'],
  ['cnbs=====', 'illegal base32 data at input byte 3'],
  ['maGVsbG8=', 'illegal base64 data at input byte 7'],
  ['maGVsb', 'illegal base64 data at input byte 4'],
  ['MaGVsbG8', 'illegal base64 data at input byte 4'],
  ['MaA=', 'illegal base64 data at input byte 3'],
  ['MaA==x', 'illegal base64 data at input byte 4'],
  ['z', 'zero length string'],
  ['zCn8eVZ0', "Invalid base58 digit ('0')"],
  ['zé', 'High-bit set on invalid digit'],
  ['k', 'can not decode zero-length string'],
  ['k-', "invalid base36 character ('-')"],
  ['02', 'error while conversion: strconv.ParseInt: parsing "00000002": invalid syntax'],
  ['00000000x1', 'error while conversion: strconv.ParseInt: parsing "000000x1": invalid syntax'],
  ['🚀😀x', "illegal base256emoji data at input byte 4, char: 'x'"],
  ['🚀😀é', "illegal base256emoji data at input byte 4, char: 'é'"],
  ['🚀☄🙈🦄x', "illegal base256emoji data at input byte 7, char: '🦄'"]
] as const) {
  test(`${JSON.stringify(text)} is refused: ${complaint}`, t => {
    const error = t.throws(() => decodeMultibase(text), { code: 'E_MULTIBASE_TEXT' })
    t.is(error.message, complaint)
  })
}
