import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { z } from 'zod'
import { bytes, command, files, stream, value } from '../../../core/index.ts'
import { all, fakeErrors } from './support/commands.ts'
import { form, openTestRpc } from './support/rpc.ts'
import { bodyOf, dechunked, fieldsOf } from './support/wire.ts'

/** A command that waits until its signal fires, and says so. */
function waiter(kind: 'value' | 'stream' | 'bytes' | 'late') {
  let started = () => {}
  let stopped: (reason: unknown) => void = () => {}
  const begun = new Promise<void>(resolve => {
    started = resolve
  })
  const ended = new Promise<unknown>(resolve => {
    stopped = resolve
  })
  const wait = async (signal: AbortSignal): Promise<never> => {
    started()
    await once(signal, 'abort')
    stopped(signal.reason)
    throw signal.reason
  }
  const made = {
    value: () => command.read('wait', { help: '', reply: value(z.object({})), run: (_, { signal }) => wait(signal) }),
    stream: () =>
      command.read('wait', {
        help: '',
        reply: stream(z.object({ N: z.int() })),
        async *run(_, { signal }) {
          yield { N: 1 }
          await wait(signal)
        }
      }),
    bytes: () =>
      command.read('wait', {
        help: '',
        reply: bytes(),
        run: (_, { signal }) => ({
          bytes: (async function* () {
            yield await wait(signal)
          })()
        })
      }),
    late: () =>
      command.read('wait', {
        help: '',
        body: files('data'),
        reply: stream(z.object({ N: z.int() })),
        async *run(_, { body, signal }) {
          for await (const part of body) {
            yield { N: 0 }
            for await (const _bytes of part.bytes()) await wait(signal)
          }
        }
      })
  }[kind]()
  return { command: made, begun, ended }
}

for (const kind of ['value', 'stream', 'bytes'] as const) {
  test(`a client that leaves stops the work (${kind})`, async t => {
    const { command: wait, begun, ended } = waiter(kind)
    const rpc = await openTestRpc(t, { commands: [...all, wait] })
    const wire = await rpc.wire()
    wire.ask('POST /api/v0/wait HTTP/1.1', ['Content-Length: 0'])
    await begun
    wire.leave()
    t.like(await ended, { code: 'E_CANCELLED' })
    t.is((await rpc.post('one')).status, 200)
  })

  test(`a timeout stops the work and is the answer (${kind})`, async t => {
    const { command: wait, ended } = waiter(kind)
    const rpc = await openTestRpc(t, { commands: [wait], settings: { lateFailure: 'finish' } })
    const wire = await rpc.wire()
    wire.ask('POST /api/v0/wait?timeout=20ms HTTP/1.1', ['Content-Length: 0'])
    const answer = await wire.until(/\r\n0\r\n(?:X-[^\r]*\r\n)?\r\n$/)
    t.like(await ended, { code: 'E_TIMEOUT' })
    t.regex(
      answer,
      kind === 'value' ? /^HTTP\/1\.1 500 [\s\S]*"context deadline exceeded","Code":0/ : /X-Stream-Error: context deadline exceeded\r\n/
    )
  })
}

test('a client that leaves in the middle of its upload stops the work', async t => {
  const { command: wait, begun, ended } = waiter('late')
  const rpc = await openTestRpc(t, { commands: [wait] })
  const wire = await rpc.wire()
  const { body } = form('some bytes')
  wire.ask('POST /api/v0/wait HTTP/1.1', ['Content-Type: multipart/form-data; boundary=edge', 'Content-Length: 100000'], body.slice(0, -20))
  await begun
  wire.leave()
  t.like(await ended, { code: 'E_CANCELLED' })
})

test('a client that half-closes has left, as for the reference', async t => {
  const { command: wait, begun, ended } = waiter('value')
  const rpc = await openTestRpc(t, { commands: [wait] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/wait HTTP/1.1', ['Content-Length: 0'])
  await begun
  wire.socket.end()
  t.like(await ended, { code: 'E_CANCELLED' })
})

test('one connection serves one request after the other, errors included', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  for (const [path, status] of [
    ['one', 200],
    ['nope', 404],
    ['say', 400],
    ['one?fail=x', 500],
    ['one?timeout=x', 200],
    ['group', 200],
    ['one', 200]
  ] as const) {
    wire.clear()
    wire.ask(`POST /api/v0/${path} HTTP/1.1`, ['Content-Length: 0'])
    const answer = await wire.until(/\r\n\r\n(?:[\s\S]*\n)?$/)
    t.true(answer.startsWith(`HTTP/1.1 ${status} `), path)
    t.is(fieldsOf(answer)['connection'], 'keep-alive')
    if (fieldsOf(answer)['content-length'] === undefined) await wire.until(/0\r\n\r\n$/)
  }
})

test('requests that are sent ahead are answered in order', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  const { body } = form('first')
  const upload = ['Content-Type: multipart/form-data; boundary=edge', `Content-Length: ${body.length}`]
  wire.ask('POST /api/v0/echo HTTP/1.1', upload, body)
  wire.ask('POST /api/v0/nope HTTP/1.1', upload, body)
  wire.ask('POST /api/v0/count?count=1 HTTP/1.1', ['Content-Length: 0'])
  wire.ask('POST /api/v0/one?fail=x HTTP/1.1', ['Content-Length: 0', 'Connection: close'])
  const statuses = [...(await wire.end()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  t.deepEqual(statuses, ['200', '404', '200', '500'])
})

test('a small body that is never read does not cost the connection', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 5'], 'hello')
  t.is(fieldsOf(await wire.until(/0\r\n\r\n$/))['connection'], 'keep-alive')
  wire.clear()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0'])
  t.regex(await wire.until(/0\r\n\r\n$/), /^HTTP\/1\.1 200/)
})

for (const [what, path, status] of [
  ['a refusal', 'nope', 404],
  ['an answer', 'one', 200],
  ['a command error', 'one?fail=x', 500]
] as const) {
  test(`a client that is still sending gets ${what} whole, and the connection closes`, async t => {
    const rpc = await openTestRpc(t, { commands: all })
    const wire = await rpc.wire()
    wire.ask(`POST /api/v0/${path} HTTP/1.1`, ['Content-Type: text/plain', 'Content-Length: 100000000'], 'x'.repeat(100_000))
    const answer = await wire.until(/(?:0\r\n\r\n|not found\n)$/)
    t.true(answer.startsWith(`HTTP/1.1 ${status} `))
    t.is(fieldsOf(answer)['connection'], 'close')
    wire.say('x'.repeat(1_000_000))
    await wire.end()
  })
}

test('an answer may start before the upload ends', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  const { body } = form('one', 'two')
  const cut = body.indexOf('two')
  wire.ask(
    'POST /api/v0/parts?read HTTP/1.1',
    ['Content-Type: multipart/form-data; boundary=edge', `Content-Length: ${body.length}`],
    body.slice(0, cut)
  )
  const first = await wire.until(/"Data":"one"\}\n/)
  t.is(fieldsOf(first)['connection'], 'close')
  wire.say(body.slice(cut))
  t.regex(await wire.end(), /"Data":"two"\}\n\r\n0\r\n\r\n$/)
})

/** Commands that answer at once when they have read an upload: in a stream, by one value, with an error. */
const readers = (['stream', 'value', 'fail'] as const).map(name =>
  command.read(`read/${name}`, {
    help: '',
    body: files('data'),
    reply: name === 'stream' ? stream(z.object({ Size: z.int() })) : value(z.object({ Size: z.int() })),
    async run(_, { body }) {
      let size = 0
      for await (const part of body) for await (const piece of part.bytes()) size += piece.length
      if (name === 'fail') throw fakeErrors.E_FAKE('read')
      return (name === 'stream' ? [{ Size: size }] : { Size: size }) as never
    }
  })
)

for (const name of ['parts?read', 'read/stream', 'read/value', 'read/fail']) {
  test(`an upload that came after its header, and was read to its last boundary, does not cost the connection (${name})`, async t => {
    const rpc = await openTestRpc(t, { commands: [...all, ...readers] })
    const { body } = form('some bytes')
    for (const isChunked of [false, true]) {
      const wire = await rpc.wire()
      const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
      for (let i = 0; i < 3; i++) {
        wire.clear()
        wire.ask(`POST /api/v0/${name} HTTP/1.1`, ['Content-Type: multipart/form-data; boundary=edge', length])
        await setTimeout(5)
        wire.say(isChunked ? `${body.length.toString(16)}\r\n${body}\r\n` : body)
        // by itself, as Go's client writes it
        if (isChunked) wire.say('0', '', '')
        const answer = await wire.until(/\r\n0\r\n(?:X-[^\r]*\r\n)?\r\n$/)
        t.is(fieldsOf(answer)['connection'], 'keep-alive', `${length}, ${i}`)
      }
    }
  })
}

test('a chunked upload is read like any other', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  const { body } = form('one', 'two')
  wire.ask('POST /api/v0/echo HTTP/1.1', ['Content-Type: multipart/form-data; boundary=edge', 'Transfer-Encoding: chunked'])
  for (let at = 0; at < body.length; at += 7) {
    const piece = body.slice(at, at + 7)
    wire.say(`${piece.length.toString(16)};x=y`, piece, '')
  }
  wire.say('0', 'Trailer: ignored', '', '')
  t.is(dechunked(bodyOf(await wire.until(/\r\n0\r\n\r\n$/))), 'onetwo')
})

test('a client that waits to be told goes on gets told when its body is read, and only then', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  const { body } = form('patient')
  const fields = ['Content-Type: multipart/form-data; boundary=edge', `Content-Length: ${body.length}`, 'Expect: 100-continue']
  wire.ask('POST /api/v0/echo HTTP/1.1', fields)
  t.is(await wire.until(/\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n')
  wire.clear()
  wire.say(body)
  t.regex(await wire.until(/0\r\n\r\n$/), /^HTTP\/1\.1 200 [\s\S]*7\r\npatient/)
  const refused = await rpc.wire()
  refused.ask('POST /api/v0/nope HTTP/1.1', fields)
  const answer = await refused.end()
  t.regex(answer, /^HTTP\/1\.1 404 /)
  t.is(fieldsOf(answer)['connection'], 'close')
})
