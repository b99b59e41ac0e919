import test from 'ava'
import { answering, serveRoutes } from './support/serve.ts'

const telling = (host: string, path = '/*') =>
  answering(path, { host, handle: (_, __, response, { params }) => void response.end(JSON.stringify({ host, ...(params as object) })) })

test('a route is for its host alone, and the first label of one may be a parameter', async t => {
  const routes = [telling('api.example.net'), telling(':cid.ipfs.example.net'), telling('own.ipfs.example.net'), answering('/here')]
  const { ask } = await serveRoutes(t, routes)
  const asked = async (host: string, path = '/x/y') => {
    const { status, text } = await ask('GET', path, { Host: host })
    return status === 200 ? JSON.parse(text) : status
  }
  t.deepEqual(await asked('api.example.net'), { host: 'api.example.net', '*': 'x/y' })
  t.deepEqual(await asked('API.Example.net.:8090'), { host: 'api.example.net', '*': 'x/y' })
  t.deepEqual(await asked('bafy123.ipfs.example.net'), { host: ':cid.ipfs.example.net', cid: 'bafy123', '*': 'x/y' })
  t.deepEqual(await asked('own.ipfs.example.net'), { host: 'own.ipfs.example.net', '*': 'x/y' })
  for (const host of ['a.b.ipfs.example.net', 'ipfs.example.net', '.ipfs.example.net', 'x.api.example.net', 'localhost'])
    t.is(await asked(host), 404, host)
})

test('what no route of a host takes is looked for among the routes for every host, which stay closed to foreign names', async t => {
  const { ask } = await serveRoutes(t, [telling('api.example.net', '/there'), answering('/here')])
  t.is((await ask('GET', '/here', { Host: 'localhost' })).status, 200)
  t.is((await ask('GET', '/here', { Host: 'api.example.net' })).status, 403)
  t.is((await ask('GET', '/there', { Host: 'api.example.net' })).status, 200)
  t.is((await ask('GET', '/there', { Host: 'localhost' })).status, 404)
})
