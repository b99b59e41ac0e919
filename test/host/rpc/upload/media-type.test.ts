import test from 'ava'
import { parseMediaType, typeOnly } from '../../../../host/rpc/upload/media-type.ts'

function read(value: string): [string, Record<string, string>] {
  const { type, parameters } = parseMediaType(value)
  return [type, Object.fromEntries(parameters)]
}

test('a type and its parameters, names in lower case, values as they are', t => {
  t.deepEqual(read('Text/HTML; Charset=UTF-8 ; a="b;c"'), ['text/html', { charset: 'UTF-8', a: 'b;c' }])
  t.deepEqual(read('form-data; name=file; filename=a.txt'), ['form-data', { name: 'file', filename: 'a.txt' }])
  t.deepEqual(read('text/plain;'), ['text/plain', {}])
})

test('a backslash escapes what needs it and is kept elsewhere', t => {
  t.deepEqual(read(String.raw`form-data; filename="a\"b"`)[1], { filename: 'a"b' })
  t.deepEqual(read(String.raw`form-data; filename="C:\dir\a"`)[1], { filename: String.raw`C:\dir\a` })
})

test('encoded and continued parameters are put together', t => {
  t.deepEqual(read("form-data; filename*=UTF-8''%C3%A9")[1], { filename: 'Ã©' })
  t.deepEqual(read("form-data; filename=e; filename*=utf-8'en'%61b")[1], { filename: 'ab' })
  t.deepEqual(read('x; title*0="a "; title*1=b; title*2*=%63')[1], { title: 'a bc' })
  t.deepEqual(read("x; title*0*=us-ascii'en'%61; title*1=b")[1], { title: 'ab' })
  t.deepEqual(read("x; filename*=latin1''%E9")[1], {})
})

test('a parameter may come twice with the same value only', t => {
  t.deepEqual(read('x; a=1; a=1')[1], { a: '1' })
  t.throws(() => read('x; a=1; A=2'), { message: 'mime: duplicate parameter name' })
})

test('what cannot be read is told as Go tells it', t => {
  const refused: Array<[string, string]> = [
    ['', 'mime: no media type'],
    [';', 'mime: no media type'],
    ['a b', 'mime: expected slash after first token'],
    ['a/', 'mime: expected token after slash'],
    ['a/b/c', 'mime: unexpected content after media subtype'],
    ['a/b; =', 'mime: invalid media parameter'],
    ['a/b; c', 'mime: invalid media parameter'],
    ['a/b; c="', 'mime: invalid media parameter'],
    ['a/b; c= d e', 'mime: invalid media parameter']
  ]
  for (const [value, message] of refused) t.throws(() => read(value), { message }, value)
})

test('the type alone is found where its parameters are broken', t => {
  t.is(typeOnly('Multipart/Form-Data; boundary='), 'multipart/form-data')
  t.is(typeOnly('multipart'), 'multipart')
  t.is(typeOnly('/'), undefined)
})
