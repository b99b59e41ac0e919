import { Readable } from 'node:stream'
import test from 'ava'
import { messages } from '../beside.ts'
import { answering, serveRoutes } from './support/serve.ts'

test('the path / is the root alone', async t => {
  const { ask } = await serveRoutes(t, [answering('/')])
  t.like(await ask('GET', '/'), { status: 200, text: 'GET /' })
  t.like(await ask('GET', '/?a=b'), { status: 200 })
  for (const path of ['/nope', '/nope/', '/a/b']) t.is((await ask('GET', path)).status, 404, path)
})

test('parameters are told by name, percent-decoded, and a prefix tells what lies below it', async t => {
  const told = (path: string) => answering(path, { handle: (_, __, response, { params }) => void response.end(JSON.stringify(params)) })
  const { ask } = await serveRoutes(t, [told('/hello/:name'), told('/of/:kind/files/*'), told('/all/*')])
  const params = async (path: string) => JSON.parse((await ask('GET', path)).text)
  t.deepEqual(await params('/hello/Ada'), { name: 'Ada' })
  t.deepEqual(await params('/hello/Ada%20L%C3%A9%2Fx?y=z'), { name: 'Ada Lé/x' })
  t.deepEqual(await params('/of/a/files/'), { kind: 'a', '*': '' })
  t.deepEqual(await params('/of/a%3Fb/files/c/d%20e/'), { kind: 'a?b', '*': 'c/d e/' })
  t.deepEqual(await params('/all/'), { '*': '' })
  t.deepEqual(await params('/all/__proto__'), { '*': '__proto__' })
  for (const path of ['/hello/', '/hello', '/hello/a/b', '/of//files/x', '/of/a/file/x']) t.not((await ask('GET', path)).status, 200, path)
  t.is((await ask('GET', '/of/a/files')).headers.location, '/of/a/files/')
})

test('answers that the context ends go out at the end of the turn, each whole', async t => {
  const order: string[] = []
  const route = answering('/end', {
    handle: (_, __, response, context) => {
      context.end(response, 'é', 'latin1')
      order.push(`ended: ${response.writableEnded}`)
    }
  })
  const { ask } = await serveRoutes(t, [route])
  const answers = await Promise.all([ask('GET', '/end'), ask('GET', '/end')])
  t.deepEqual(
    answers.map(({ status, text }) => [status, Buffer.from(text).length]),
    [
      [200, Buffer.from(Buffer.from([0xe9]).toString()).length],
      [200, Buffer.from(Buffer.from([0xe9]).toString()).length]
    ]
  )
  t.deepEqual(order, ['ended: false', 'ended: false'])
})

test('a parameter that is no percent-encoded UTF-8 is answered 400, and the handler does not run', async t => {
  const { ask } = await serveRoutes(t, [answering('/hello/:name'), answering('/all/*')])
  for (const path of ['/hello/%', '/hello/%zz', '/hello/%FF', '/all/a/%C3']) {
    const answer = await ask('GET', path)
    t.is(answer.status, 400, path)
    t.regex(answer.text, /percent-encoded/)
  }
  t.is((await ask('GET', '/hello/%41')).status, 200)
})

test('the more particular of several routes answers, whatever the order in which they are declared', async t => {
  const paths = ['/*', '/:any', '/a/:x', '/a/b', '/a/*', '/a/b/*', '/:x/b', '/:x/:y/*']
  const expected = {
    '/a/b': '/a/b',
    '/a/c': '/a/:x',
    '/a/c/d': '/a/*',
    '/a/b/d': '/a/b/*',
    '/c/b': '/:x/b',
    '/c/b/d': '/:x/:y/*',
    '/c': '/:any',
    '/': '/*',
    '/c/d/e': '/:x/:y/*',
    '/c/': '/*'
  }
  for (const order of [paths, paths.toReversed()]) {
    const { ask } = await serveRoutes(
      t,
      order.map(path => answering(path))
    )
    for (const [path, route] of Object.entries(expected)) t.is((await ask('GET', path)).text, `GET ${route}`, path)
    t.is((await ask('GET', '/c/d')).headers.location, '/c/d/')
  }
})

test('HEAD is answered by what answers GET, without the body, unless a route is for it', async t => {
  const sized = answering('/sized', {
    handle(_, __, response) {
      response.writeHead(200, { 'Content-Length': '5', 'X-Is': 'GET' })
      response.end('hello')
    }
  })
  const piped = answering('/piped', { handle: (_, __, response) => void Readable.from(['a', 'b']).pipe(response) })
  const head = answering('/own', { method: 'HEAD', handle: (_, __, response) => void response.setHeader('X-Is', 'HEAD').end() })
  const { ask } = await serveRoutes(t, [
    sized,
    piped,
    answering('/own'),
    head,
    answering('/any', { method: '*' }),
    answering('/post', { method: 'POST' })
  ])
  const answer = await ask('HEAD', '/sized')
  t.like(answer, { status: 200, text: '' })
  t.like(answer.headers, { 'content-length': '5', 'x-is': 'GET' })
  t.is((await ask('HEAD', '/piped')).status, 200)
  t.is((await ask('HEAD', '/own')).headers['x-is'], 'HEAD')
  t.is((await ask('HEAD', '/any')).status, 200)
  t.is((await ask('HEAD', '/post')).status, 405)
})

test('OPTIONS tells what a path takes, and other methods are refused with the same', async t => {
  const { ask } = await serveRoutes(t, [
    answering('/a'),
    answering('/a', { method: 'POST' }),
    answering('/:x', { method: 'DELETE' }),
    answering('/own', { method: 'OPTIONS' }),
    answering('/any', { method: '*' })
  ])
  const allow = async (method: string, path: string) => {
    const { status, headers } = await ask(method, path)
    return [status, headers.allow]
  }
  t.deepEqual(await allow('OPTIONS', '/a'), [204, 'DELETE, GET, HEAD, OPTIONS, POST'])
  t.deepEqual(await allow('PUT', '/a'), [405, 'DELETE, GET, HEAD, OPTIONS, POST'])
  t.deepEqual(await allow('OPTIONS', '/b'), [204, 'DELETE, OPTIONS'])
  t.deepEqual(await allow('GET', '/b'), [405, 'DELETE, OPTIONS'])
  t.is((await ask('DELETE', '/a')).text, 'DELETE /:x')
  t.is((await ask('OPTIONS', '/own')).text, 'OPTIONS /own')
  t.is((await ask('OPTIONS', '/any')).text, '* /any')
  t.deepEqual(await allow('PUT', '/nope/x'), [404, undefined])
})

test('what is thrown before the answer is 500 and told with plugin and route; what is thrown behind it breaks the connection off', async t => {
  const lines: string[] = []
  const broken = answering('/broken/:x', {
    handle() {
      throw new Error('no')
    }
  })
  const late = answering('/late', {
    async handle(_, __, response) {
      response.write('some')
      throw new Error('too late')
    }
  })
  const { ask, host } = await serveRoutes(t, [broken, late])
  Object.assign(host.logs.get('own'), { error: (_: unknown, line: string) => lines.push(line) })
  t.like(await ask('GET', '/broken/y'), { status: 500, text: 'internal error\n' })
  await t.throwsAsync(ask('GET', '/late'))
  t.deepEqual(lines, ["plugin 'own': its route GET /broken/:x failed: no", "plugin 'own': its route GET /late failed: too late"])
})

test('a frozen error that a route throws is told with plugin and route like any other', async t => {
  const cold = answering('/cold', {
    handle() {
      throw Object.freeze(new Error('cold'))
    }
  })
  const { ask, host } = await serveRoutes(t, [cold])
  const told = messages(host.logs.tail())
  t.like(await ask('GET', '/cold'), { status: 500, text: 'internal error\n' })
  await host.stop()
  t.deepEqual(await told, ["plugin 'own': its route GET /cold failed: cold"])
})
