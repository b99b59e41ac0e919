import test from 'ava'
import { hostName } from '../../../host/http/routes/host-pattern.ts'
import { answering, serveRoutes } from './support/serve.ts'

test('the name of a host is told without its port, brackets and last dot, and nothing else passes for one', t => {
  for (const [header, name] of [
    ['API.example.net:8080', 'api.example.net'],
    ['localhost.', 'localhost'],
    ['[::1]:80', '::1'],
    ['[::1]', '::1'],
    ['[::1].evil.example', '[::1].evil.example'],
    [undefined, '']
  ] as const)
    t.is(hostName(header), name)
})

test('no name but one of this machine counts as one', async t => {
  const { ask } = await serveRoutes(t, [answering('/any')])
  for (const Host of ['[::1].evil.example', 'evil.example#.localhost', 'evil.example/.localhost', 'localhost.evil.example'])
    t.is((await ask('GET', '/any', { Host })).status, 403, Host)
  for (const Host of ['app.localhost', '[::1]:80', '127.0.0.1']) t.is((await ask('GET', '/any', { Host })).status, 200, Host)
})

test('a redirection leads to no other host, however a path begins', async t => {
  const { ask } = await serveRoutes(t, [answering('/:x/*')])
  for (const path of ['/\\evil.example', '//evil.example', '/%5Cevil.example']) {
    const { status, headers } = await ask('GET', path)
    if (status === 301) t.notRegex(headers.location!, /^[/\\]{2}/, path)
  }
  t.is((await ask('GET', '/\\evil.example')).headers.location, '/%5Cevil.example/')
})
