import test from 'ava'
import { printable, printableLine, withLinesEscaped } from '../../host/printable.ts'

const HIDDEN = /(?!\p{Variation_Selector})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

test('no control, format or lone half of any plane is left, and what is left tells which it was', t => {
  const seen = new Map<string, string>()
  for (let code = 0; code <= 0x10ffff; code++) {
    const char = String.fromCodePoint(code)
    const shown = printableLine(char)
    if (HIDDEN.test(char)) t.regex(shown, /^\\(x[0-9a-f]{2}|[abfnrtv]|u[0-9a-f]{4}|u[0-9a-f]{4}\\u[0-9a-f]{4})$/)
    else if (shown !== char) t.regex(char, /\p{Default_Ignorable_Code_Point}/u)
    if (shown === char) continue
    t.false(seen.has(shown), shown)
    seen.set(shown, char)
  }
  t.true(seen.size > 2048 + 65 + 170)
})

test('controls are written as Go quotes them, and those that JSON may hold as JSON does', t => {
  t.is(printable('\x1b[2J\x07\b\r\0'), '\\x1b[2J\\a\\b\\r\\x00')
  t.is(printable('\u009b31m\u007f\u202e\u2066\ufeff\u200b'), '\\u009b31m\\u007f\\u202e\\u2066\\ufeff\\u200b')
  t.is(printable('\u{e0001}'), '\\udb40\\udc01')
  const json = JSON.stringify({ 'a\x1b\u009b': '\u007f\u202e\u{e0041}\n\u2028' })
  t.deepEqual(JSON.parse(printable(json)), JSON.parse(json))
})

test('a byte that is no UTF-8 is shown as one, and the half of a pair as a half', t => {
  t.is(printable('\udc9b31m'), '\\x9b31m')
  t.is(printable('a\ud83db'), 'a\\ud83db')
})

test('text of every script, signs, and emoji with their variation stay as they are', t => {
  for (const text of ['naïve café', '日本語　の名前', 'العربية', 'עברית', 'हिन्दी', 'a\u00a0b', '⚠️ 🎉', '→ — “x”', '\\n'])
    t.is(printableLine(text), text)
})

test('lines and tabs stay in a text, and are escaped in a line', t => {
  t.is(printable('a\n\tb\n'), 'a\n\tb\n')
  t.is(printableLine('a\n\tb'), 'a\\n\\tb')
})

test('line ends and tabs are escaped in the strings and names of a value alone, those that are wanted left out', t => {
  const date = new Date(0)
  const bytes = new Uint8Array([10])
  const value = { 'a\n': ['b\tc', { d: 'e\nf' }], n: 1n, date, bytes, nothing: null }
  t.deepEqual(withLinesEscaped(value), { 'a\\x0a': ['b\\x09c', { d: 'e\\x0af' }], n: 1n, date, bytes, nothing: null } as never)
  t.deepEqual(withLinesEscaped({ a: 'b\tc\nd' }, { chars: 'x\ty' }), { a: 'b\tc\\x0ad' })
  t.deepEqual(withLinesEscaped([{ Name: 'a\n', Hash: 'b\n' }], { members: ['Name'] }), [{ Name: 'a\n', Hash: 'b\\x0a' }])
  t.is(withLinesEscaped(value, { chars: '\n\t' }), value)
})
