import test from 'ava'
import { answering, serveRoutes } from './support/serve.ts'

/** What a browser says of a page of another site, of today and of one that sends no `Sec-Fetch-Site`. */
const PAGES: ReadonlyArray<Record<string, string>> = [
  { Origin: 'http://evil.example' },
  { Origin: 'null' },
  { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-site' }
]

test('pages of other sites are turned away from routes without access too, whatever the method', async t => {
  const { ask } = await serveRoutes(t, [answering('/any', { method: '*' }), answering('/read'), answering('/change', { method: 'POST' })])
  for (const headers of PAGES) {
    for (const [method, path] of [
      ['POST', '/any'],
      ['GET', '/any'],
      ['GET', '/read'],
      ['POST', '/change'],
      ['OPTIONS', '/any']
    ] as const)
      t.is((await ask(method, path, headers)).status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
  }
})

test('what changes something is closed to a form of a page that says nothing but where it comes from', async t => {
  const { ask } = await serveRoutes(t, [answering('/any', { method: '*' }), answering('/change', { method: 'POST' }), answering('/read')])
  const forms: ReadonlyArray<Record<string, string>> = [{ Referer: 'http://evil.example/page' }, { 'User-Agent': 'Mozilla/5.0 (X11)' }]
  for (const headers of forms) {
    for (const path of ['/any', '/change']) t.is((await ask('POST', path, headers)).status, 403, `${path} ${JSON.stringify(headers)}`)
    t.is((await ask('GET', '/read', headers)).status, 200)
  }
})

test('a page of the listener’s own, and a program, may change something', async t => {
  const { ask, url } = await serveRoutes(t, [answering('/change', { method: 'POST' })])
  const browser = { 'User-Agent': 'Mozilla/5.0 (X11)' }
  const asked: ReadonlyArray<Record<string, string>> = [
    {},
    { ...browser, Origin: url },
    { ...browser, Origin: url, 'Sec-Fetch-Site': 'same-origin' }
  ]
  for (const headers of asked) t.is((await ask('POST', '/change', headers)).status, 200, JSON.stringify(headers))
})
