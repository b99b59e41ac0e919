import test from 'ava'
import fc from 'fast-check'
import { hasCode } from '../../../core/index.ts'
import { normalEndpoint, requestBase } from '../../../plugins/remote-pins/endpoint.ts'

test('an endpoint is kept in its clean form', t => {
  const forms = [
    ['https://5.example.com/./some//nonsense/../path/../path/', 'https://5.example.com/some/path'],
    ['HTTPS://PINS.example.org/Up', 'https://PINS.example.org/Up'],
    ['https://pins.example.org/#frag', 'https://pins.example.org/%23frag'],
    ['https://pins.example.org/a%20b', 'https://pins.example.org/a%20b'],
    ['http://', 'http:']
  ] as const
  for (const [given, kept] of forms) t.is(normalEndpoint(given), kept)
  for (const text of ['', 'x', '/x', 'ftp://x', 'https://a b/', 'https://a/%zz', 'http:x']) {
    t.throws(() => normalEndpoint(text), { code: 'E_REMOTE_ENDPOINT' }, text)
  }
  t.throws(() => normalEndpoint('https://a/x?y'), { code: 'E_REMOTE_ENDPOINT_QUERY' })
  t.throws(() => normalEndpoint('https://a/x/../pins//'), { code: 'E_REMOTE_ENDPOINT_PINS' })
})

test('what is asked has a host of the endpoint, and neither name nor password', t => {
  t.is(requestBase('https://me:hidden@pins.example.org/a'), 'https://pins.example.org/a')
  t.is(requestBase('http://[::1]:5001'), 'http://[::1]:5001')
  for (const text of ['http:', 'http:/', 'http:///x', 'ftp://x', '', 'http:/pins']) {
    t.throws(() => requestBase(text), { code: 'E_REMOTE_ENDPOINT' }, text)
  }
})

test('whatever is given as an endpoint is refused, or kept in a form that stays as it is', t => {
  const piece = fc.oneof(
    fc.constantFrom('http://', 'https:', '/', '..', 'pins', '?', '#', '%', '%41', '@', ':80', '[::1]', 'a.example'),
    fc.string()
  )
  const text = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''))
  const check = (given: string) => {
    try {
      const kept = normalEndpoint(given)
      t.is(normalEndpoint(kept), kept)
    } catch (error) {
      if (!['E_REMOTE_ENDPOINT', 'E_REMOTE_ENDPOINT_QUERY', 'E_REMOTE_ENDPOINT_PINS'].some(code => hasCode(error, code))) throw error
    }
  }
  t.notThrows(() => fc.assert(fc.property(text, check), { numRuns: 2000 }))
})
