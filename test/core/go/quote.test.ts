import test from 'ava'
import { goQuote, goQuoteRune, goUnicode } from '../../../core/go/quote.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import { makes } from './makes.ts'

test('plain text is put between double quotes', t => {
  makes(t, goQuote, { '': '""', "it's /ipfs/x": '"it\'s /ipfs/x"' })
})

test('quotes, backslashes and control characters are escaped as Go does', t => {
  makes(t, goQuote, { 'a"b\\c': '"a\\"b\\\\c"', '\x07\b\f\n\r\t\v': '"\\a\\b\\f\\n\\r\\t\\v"', '\0\x1f\x7f': '"\\x00\\x1f\\x7f"' })
})

test('letters and emoji stay, what does not print is written by its number', t => {
  makes(t, goQuote, { 'é世🚀': '"é世🚀"', '\u00a0\u200b\u{e0001}': '"\\u00a0\\u200b\\U000e0001"' })
})

test('a byte that is no UTF-8 is written as that byte', t => {
  t.is(goQuote(decodeUtf8(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))), '"a\\xff\\xfeb"')
  t.is(goQuote('\ud800'), '"\\ufffd"')
})

test('a rune is put between single quotes, in which only those are escaped', t => {
  makes(t, goQuoteRune, { '0': "'0'", "'": "'\\''", '"': "'\"'", '\n': "'\\n'" })
})

test('the Unicode form shows a character only when it prints', t => {
  makes(t, goUnicode, { z: "U+007A 'z'", '\n': 'U+000A', '🚀': "U+1F680 '🚀'" })
})
