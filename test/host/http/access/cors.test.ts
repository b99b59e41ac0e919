import test from 'ava'
import { canonical, OriginRules, originOf, originSettings } from '../../../../host/http/access/cors.ts'

const plain = new OriginRules(originSettings({}, 5001))
const listenerOrigin = 'http://127.0.0.1:5001'

test('the listener’s own loopback origins and the two extensions are let in', t => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
    for (const scheme of ['http', 'https']) t.true(plain.letsIn({ origin: `${scheme}://${host}:5001` }))
  }
  t.true(plain.letsIn({ origin: 'chrome-extension://nibjojkomfdiaoajekhjakgkdhaomnch' }))
  for (const origin of [
    'http://localhost',
    'http://localhost:5002',
    'null',
    '*',
    'http://LOCALHOST:5001',
    `${listenerOrigin}/`,
    'http://evil.example'
  ]) {
    t.false(plain.letsIn({ origin }), origin)
  }
})

test('a configured list is compared exactly, its ports filled in, and * lets everybody in', t => {
  const configured = new OriginRules(
    originSettings({ 'Access-Control-Allow-Origin': ['http://a.example:<port>', 'http://*.b.example'] }, 5001)
  )
  t.true(configured.letsIn({ origin: 'http://a.example:5001' }))
  t.true(configured.letsIn({ origin: listenerOrigin }))
  t.false(configured.letsIn({ origin: 'http://www.b.example' }))
  const any = new OriginRules(originSettings({ 'Access-Control-Allow-Origin': ['*'] }, 5001))
  t.true(any.letsIn({ origin: 'null', referer: 'http://evil.example/' }))
  t.false(any.letsIn({ referer: 'http://[' }))
})

test('a referer counts as the origin it comes from', t => {
  t.true(plain.letsIn({ referer: `${listenerOrigin}/webui/?a#b` }))
  t.true(plain.letsIn({ referer: 'http://user@localhost:5001/' }))
  for (const referer of ['http://evil.example/', '/relative', 'about:blank', '%zz', 'http://[', `http://evil.example/${listenerOrigin}`]) {
    t.false(plain.letsIn({ referer }), referer)
  }
  t.false(plain.letsIn({ origin: listenerOrigin, referer: 'http://evil.example/' }))
})

test('a browser has to say where it comes from, Electron need not', t => {
  t.false(plain.letsIn({ userAgent: 'Mozilla/5.0' }))
  t.true(plain.letsIn({ userAgent: 'Mozilla/5.0', origin: listenerOrigin }))
  t.true(plain.letsIn({ userAgent: 'Mozilla/5.0', referer: `${listenerOrigin}/` }))
  t.true(plain.letsIn({ userAgent: 'Mozilla/5.0 Electron/30' }))
  t.true(plain.letsIn({ userAgent: 'curl/8' }))
  t.true(plain.letsIn({}))
})

test('CORS headers look at origins without case, at one wildcard, and at the method', t => {
  const rules = new OriginRules(
    originSettings({ 'Access-Control-Allow-Origin': ['http://*.b.example'], 'Access-Control-Allow-Credentials': ['no', 'TRUE'] }, 5001)
  )
  const credentials = ['Access-Control-Allow-Credentials', 'true'] as const
  t.deepEqual(rules.cors('http://WWW.b.example', 'POST'), [['Access-Control-Allow-Origin', 'http://WWW.b.example'], credentials])
  t.deepEqual(rules.cors('http://b.example', 'POST'), [])
  t.deepEqual(rules.cors(listenerOrigin, 'GET'), [])
  t.deepEqual(rules.cors(undefined, 'POST'), [])
})

test('a preflight is answered for methods and headers that are allowed, names in canonical form', t => {
  t.deepEqual(plain.preflight(listenerOrigin, 'post', 'accept,content-type, x-requested-with'), [
    ['Access-Control-Allow-Origin', listenerOrigin],
    ['Access-Control-Allow-Methods', 'POST'],
    ['Access-Control-Allow-Headers', 'Accept, Content-Type, X-Requested-With']
  ])
  t.deepEqual(plain.preflight(listenerOrigin, 'POST', 'authorization'), [])
  t.deepEqual(plain.preflight(listenerOrigin, 'PUT', undefined), [])
  t.deepEqual(plain.preflight('http://evil.example', 'POST', undefined), [])
})

test('the origin of a URL is found as Go finds it', t => {
  t.is(originOf('HTTP://Host:1/x?y#z'), 'http://Host:1')
  t.is(originOf('http://a@b@c/'), 'http://c')
  t.is(originOf('localhost:5001'), 'localhost://')
  t.is(originOf(''), '://')
  for (const broken of ['http://a/%zz', ':x', 'http://a\nb/', 'http://[::1/']) t.is(originOf(broken), undefined, broken)
})

test('header names have one canonical form', t => {
  t.is(canonical('x-my_header'), 'X-My_Header')
  t.is(canonical('ETAG'), 'Etag')
})
