import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import test from 'ava'
import { z } from 'zod'
import { command, files, nothing, p, stream, value } from '../../../core/index.ts'
import { RpcError } from '../../../host/client/errors.ts'
import { third } from '../../helpers/declared.ts'
import { all as fakes } from '../rpc/support/commands.ts'
import { openTestRpc } from '../rpc/support/rpc.ts'
import { failureOf, ways } from './node.ts'

/** Commands that tell when their caller leaves. */
function watched() {
  let left: () => void = () => {}
  const hasLeft = new Promise<void>(resolve => {
    left = resolve
  })
  const commands = [
    command.read('endless', {
      help: 'Numbers without end.',
      reply: stream(z.object({ N: z.int() })),
      async *run(_, { signal }) {
        signal.addEventListener('abort', left)
        for (let n = 0; !signal.aborted; n++) {
          yield { N: n }
          await new Promise(resolve => setImmediate(resolve))
        }
      }
    }),
    command.read('silence', {
      help: 'Never answers.',
      reply: value(z.object({})),
      run: () => new Promise<Record<string, never>>(() => {})
    }),
    command.read('swallow', {
      help: 'Reads all.',
      body: files('data'),
      reply: nothing(),
      async run(_, { body }) {
        for await (const part of body) for await (const _chunk of part.bytes());
      }
    }),
    command.read('needs/number', { help: '', args: { n: p.string('N.') }, options: { n: p.int('N.') }, reply: nothing(), run() {} })
  ]
  return { hasLeft, commands }
}

for (const [way, make] of ways) {
  test(`${way}: an error tells the command, the status and what the node says`, async t => {
    const { commands } = watched()
    const { url } = await openTestRpc(t, {
      commands: [...fakes, ...commands],
      plugins: [third],
      configuration: { commands: { 'acme/tree': 'off' } }
    })
    const client = make({ url })
    const failed = async (path: string, request?: Parameters<typeof client.callAny>[1]) => {
      const error = await failureOf(t, () => client.callAny(path, request))
      t.true(error instanceof RpcError)
      return error
    }
    t.like(await failed('one', { options: { fail: 'no <such> é thing' } }), {
      name: 'RpcError',
      code: 'E_CLIENT_FAILED',
      command: 'one',
      status: 500,
      wireCode: 0,
      message: 'no <such> é thing'
    })
    t.like(await failed('one', { options: { fail: 'wrong', client: true } }), {
      code: 'E_CLIENT_REFUSED',
      status: 400,
      wireCode: 1,
      message: 'wrong'
    })
    t.like(await failed('needs/number'), {
      code: 'E_CLIENT_REFUSED',
      status: 400,
      wireCode: undefined,
      message: 'argument "n" is required'
    })
    t.like(await failed('count', { options: { count: 'x' } }), {
      code: 'E_CLIENT_REFUSED',
      message: 'could not convert value "x" to type "int" (for option "-count")'
    })
    t.like(await failed('nope'), { code: 'E_CLIENT_NO_COMMAND', status: 404 })
    const off = await failed('acme/tree')
    t.is(off['code'], 'E_CLIENT_NO_COMMAND')
    t.regex(off.message, /acme\/tree is switched off: /)
  })

  test(`${way}: an error behind the first byte is an error, whatever came before`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const client = make({ url })
    const got: unknown[] = []
    const error = await failureOf(t, async () => {
      for await (const item of (await client.callAny('count', { options: { count: 3, fail: 2, slow: true } })) as AsyncIterable<unknown>)
        got.push(item)
    })
    t.deepEqual(got, [{ N: 0 }, { N: 1 }])
    if (way === 'over node:http') t.like(error, { code: 'E_CLIENT_FAILED_LATE', message: 'broken in two', status: 200 })
    else t.like(error, { code: 'E_CLIENT_CUT_OFF' })
    const atOnce = await failureOf(t, () => client.callAny('count', { options: { count: 1, fail: 1 } }))
    t.is(atOnce['code'], way === 'over node:http' ? 'E_CLIENT_FAILED_LATE' : 'E_CLIENT_CUT_OFF')
  })

  test(`${way}: a call that is aborted ends the node's work`, async t => {
    const { hasLeft, commands } = watched()
    const { url } = await openTestRpc(t, { commands })
    const client = make({ url })
    const controller = new AbortController()
    const items = (await client.callAny('endless', { signal: controller.signal })) as AsyncIterable<{ N: number }>
    const error = await failureOf(t, async () => {
      for await (const { N } of items) if (N === 3) controller.abort(new Error('enough'))
    })
    t.like(error, { code: 'E_CLIENT_ABORTED' })
    t.is((error['cause'] as Error).message, 'enough')
    await hasLeft
    t.like(await failureOf(t, () => client.callAny('endless', { signal: AbortSignal.abort() })), { code: 'E_CLIENT_ABORTED' })
  })

  test(`${way}: an answer that is left early ends the node's work`, async t => {
    const { hasLeft, commands } = watched()
    const { url } = await openTestRpc(t, { commands })
    for await (const { N } of (await make({ url }).callAny('endless')) as AsyncIterable<{ N: number }>) if (N === 3) break
    await hasLeft
    t.pass()
  })

  test(`${way}: a call ends when its time is over`, async t => {
    const { commands } = watched()
    const { url } = await openTestRpc(t, { commands })
    const error = await failureOf(t, () => make({ url }).callAny('silence', { timeout: 50 }))
    t.like(error, { code: 'E_CLIENT_TIMEOUT', message: 'silence: no whole answer within 50 ms' })
    const late = await failureOf(t, () => make({ url }).callAny('endless', { timeout: 200 }))
    t.is(late['code'], 'E_CLIENT_TIMEOUT')
  })

  test(`${way}: what the content of an upload throws is thrown`, async t => {
    const { commands } = watched()
    const { url } = await openTestRpc(t, { commands })
    const content = async function* () {
      yield 'some'
      throw new Error('the disk is gone')
    }
    const error = await failureOf(t, () => make({ url }).callAny('swallow', { body: { content: content() } }))
    t.is(error.message, 'the disk is gone')
  })

  test(`${way}: an upload that is refused on its way is an error of the node, not of the connection`, async t => {
    const { url } = await openTestRpc(t, { commands: fakes })
    const chunk = new Uint8Array(1_000_000)
    const content = async function* () {
      for (let i = 0; i < 20; i++) yield chunk
    }
    for (const path of ['nope', 'one']) {
      const options = { fail: 'no room' }
      const error = await failureOf(t, () => make({ url }).callAny(path, { body: { content: content() }, options }))
      t.is(error['code'], path === 'one' ? 'E_CLIENT_FAILED' : 'E_CLIENT_NO_COMMAND')
    }
  })

  test(`${way}: a call that cannot be sent says what is wrong with it`, async t => {
    const client = make({ url: 'http://127.0.0.1:1', commands: fakes })
    for (const [request, message] of [
      [{ args: { nope: 1 } }, /no argument 'nope'; it has first, others/],
      [{ args: [{}] }, /object is no value/],
      [{ options: { list: [null] } }, /null is no value/]
    ] as const) {
      const error = await failureOf(t, () => client.callAny('say', request as never))
      t.is(error['code'], 'E_CLIENT_CALL')
      t.regex(error.message, message)
    }
    const unknown = await failureOf(t, () => client.callAny('foreign', { args: { a: 1, b: 2 } }))
    t.regex(unknown.message, /order of its arguments is not known/)
  })

  test(`${way}: nobody there, and somebody who is no node`, async t => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', data => {
        if (data.toString().includes('garbage')) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello')
        else if (data.toString().includes('short')) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50\r\n\r\n{"a":')
        else socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbad')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    t.teardown(() => server.close())
    const client = make({ url })
    t.like(await failureOf(t, () => client.callAny('garbage')), {
      code: 'E_CLIENT_ANSWER',
      message: 'garbage: the answer is no JSON: hello'
    })
    t.like(await failureOf(t, () => client.callAny('short')), { code: 'E_CLIENT_CUT_OFF' })
    t.like(await failureOf(t, () => client.callAny('gateway')), { code: 'E_CLIENT_ANSWER', status: 502, message: 'bad' })
    server.close()
    await once(server, 'close')
    t.like(await failureOf(t, () => client.callAny('version')), { code: 'E_CLIENT_UNREACHABLE' })
  })

  test(`${way}: headers go with every call`, async t => {
    const config = { 'API.Authorizations': { me: { AuthSecret: 'bearer:secret', AllowedPaths: ['/api/v0'] } } }
    const { url } = await openTestRpc(t, { commands: fakes, config })
    t.like(await failureOf(t, () => make({ url }).callAny('one')), { code: 'E_CLIENT_FORBIDDEN', status: 403 })
    const client = make({ url: `${url}/`, headers: { authorization: 'Bearer secret' } })
    t.like(await client.callAny('one'), { Nothing: null })
  })
}

test('the package gives Node.js the client that sees trailers', async t => {
  const { createClient } = await import('holdfast/client')
  const { url } = await openTestRpc(t, { commands: fakes })
  const error = await failureOf(t, () => createClient({ url }).callAny('count', { options: { count: 1, fail: 1 } }))
  t.like(error, { name: 'RpcError', code: 'E_CLIENT_FAILED_LATE', message: 'broken at the end' })
})

test('over node:http a node that ends a broken answer properly is found out too', async t => {
  const { url } = await openTestRpc(t, { commands: fakes, settings: { lateFailure: 'finish' } })
  const error = await failureOf(t, () => ways[0]![1]({ url }).callAny('count', { options: { count: 3, fail: 2, slow: true } }))
  t.like(error, { code: 'E_CLIENT_FAILED_LATE', message: 'broken in two' })
})

test('over node:http an error in a trailer is told, however its bytes come in', async t => {
  const server = createServer(socket => {
    socket.setNoDelay(true)
    socket.once('data', async () => {
      socket.write('HTTP/1.1 200 OK\r\nX-Chunked-Output: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n')
      for (const byte of '0\r\nX-Stream-Error: it broke\r\n') {
        socket.write(byte)
        await new Promise(resolve => setTimeout(resolve, 2))
      }
      socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.like(await failureOf(t, () => ways[0]![1]({ url }).callAny('x')), { code: 'E_CLIENT_FAILED_LATE', message: 'it broke' })
})

test('over node:http nothing of an upload is read where nobody listens', async t => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  let reads = 0
  const content = (async function* () {
    reads++
    yield 'some'
  })()
  const error = await failureOf(t, () => ways[0]![1]({ url: `http://127.0.0.1:${port}` }).callAny('swallow', { body: { content } }))
  t.is(error['code'], 'E_CLIENT_UNREACHABLE')
  t.is(reads, 0)
})

for (const [way, make] of ways)
  test(`${way}: of an error without an end as much is read as an error may have`, async t => {
    const server = createHttpServer((_, response) => {
      response.writeHead(500)
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const error = await failureOf(t, () => make({ url }).callAny('x'))
    t.is(error['code'], 'E_CLIENT_FAILED')
    t.true(error.message.length < 2_097_152)
  })
