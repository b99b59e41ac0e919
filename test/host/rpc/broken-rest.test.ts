import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { z } from 'zod'
import { bytes, command, files, stream, value } from '../../../core/index.ts'
import { fakeErrors } from './support/commands.ts'
import { form, openTestRpc } from './support/rpc.ts'
import type { Wire } from './support/wire.ts'

/** Commands that read an upload to its last boundary, let `last` be done, and answer at once. */
function readers(last: () => void) {
  const size = z.object({ Size: z.int() })
  const read = async (body: AsyncIterable<{ bytes(): AsyncIterable<Uint8Array> }>) => {
    let Size = 0
    for await (const part of body) for await (const piece of part.bytes()) Size += piece.length
    last()
    return { Size }
  }
  return [
    command.read('read/value', { help: '', body: files('data'), reply: value(size), run: (_, { body }) => read(body) }),
    command.read('read/list', { help: '', body: files('data'), reply: stream(size), run: async (_, { body }) => [await read(body)] }),
    command.read('read/stream', {
      help: '',
      body: files('data'),
      reply: stream(size),
      async *run(_, { body }) {
        yield await read(body)
      }
    }),
    command.read('read/fail', {
      help: '',
      body: files('data'),
      reply: value(size),
      async run(_, { body }) {
        await read(body)
        throw fakeErrors.E_FAKE('read')
      }
    })
  ]
}

const CHUNKED = ['Content-Type: multipart/form-data; boundary=edge', 'Transfer-Encoding: chunked']
const { body } = form('some bytes')

const wrongs: ReadonlyArray<readonly [string, (wire: Wire) => void]> = [
  ['is followed by what is no chunk', wire => wire.say('zzz', '', '')],
  ['has no end', wire => void wire.socket.end()]
]

for (const name of ['value', 'list', 'stream', 'fail']) {
  for (const [what, spoil] of wrongs) {
    test(`an upload that ${what} has the answer of its command, which has read all of it (${name})`, async t => {
      const rpc = await openTestRpc(t, { commands: readers(() => spoil(wire)) })
      const wire = await rpc.wire()
      wire.ask(`POST /api/v0/read/${name} HTTP/1.1`, CHUNKED, `${body.length.toString(16)}\r\n${body}\r\n`)
      const answer = await wire.end()
      t.regex(answer, name === 'fail' ? /^HTTP\/1\.1 500 [\s\S]*read/ : /^HTTP\/1\.1 200 [\s\S]*\{"Size":10\}\n/)
      t.regex(answer, /\r\nConnection: close\r\n[\s\S]*\r\n0\r\n\r\n$/)
    })
  }
}

test('an upload that breaks before it was read to its end is told so', async t => {
  const rpc = await openTestRpc(t, { commands: readers(() => {}) })
  const wire = await rpc.wire()
  const half = body.slice(0, -20)
  wire.ask('POST /api/v0/read/value HTTP/1.1', CHUNKED, `${half.length.toString(16)}\r\n${half}\r\nzzz\r\n\r\n`)
  t.regex(await wire.end(), /^HTTP\/1\.1 400 /)
})

for (const [how, leave] of [
  ['resets', ({ socket }: Wire) => socket.resetAndDestroy()],
  ['closes', (wire: Wire) => wire.leave()]
] as const) {
  for (const kind of ['stream', 'bytes'] as const) {
    test(`a client that ${how} its connection stops the work, though nobody reads what it has sent (${kind})`, async t => {
      const ended = Promise.withResolvers<unknown>()
      async function* never(signal: AbortSignal): AsyncGenerator<never> {
        await once(signal, 'abort').finally(() => ended.resolve(signal.reason))
      }
      const follow =
        kind === 'bytes'
          ? command.read('follow', { help: '', reply: bytes(), run: (_, { signal }) => ({ bytes: never(signal) }) as never })
          : command.read('follow', { help: '', reply: stream(z.object({}), { eager: true }), run: (_, { signal }) => never(signal) })
      const rpc = await openTestRpc(t, { commands: [follow] })
      const wire = await rpc.wire()
      wire.ask('POST /api/v0/follow HTTP/1.1', ['Content-Type: text/plain', 'Content-Length: 100000000'], 'x'.repeat(1_000_000))
      t.regex(await wire.until(/\r\n\r\n/), /\r\nConnection: close\r\n/)
      leave(wire)
      t.like(await Promise.race([ended.promise, setTimeout(10_000, undefined, { ref: false })]), { code: 'E_CANCELLED' })
    })
  }
}
