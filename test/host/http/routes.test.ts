import test from 'ava'
import { own, serveRoutes } from './support/serve.ts'

test('the path / is the root alone', async t => {
  const { ask } = await serveRoutes(t, [own('/')])
  t.like(await ask('GET', '/'), { status: 200, text: 'GET /' })
  t.like(await ask('GET', '/?a=b'), { status: 200 })
  for (const path of ['/nope', '/nope/', '/a/b']) t.is((await ask('GET', path)).status, 404, path)
})
