import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import test from 'ava'
import type { BodyPart } from '../../../../core/index.ts'
import { Upload } from '../../../../host/rpc/upload/upload.ts'
import { all } from '../support/commands.ts'
import { form, openTestRpc } from '../support/rpc.ts'

const CHUNK = 64 * 1024

/** A request that makes its body while it is read, and counts what was taken of it. */
function request(chunks: Iterable<Buffer>): IncomingMessage & { taken: number } {
  const source = chunks[Symbol.iterator]()
  const stream = new Readable({
    highWaterMark: CHUNK,
    read() {
      const { done, value } = source.next()
      if (!done) message.taken += value.length
      this.push(done ? null : value)
    }
  })
  const message = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked', 'content-type': 'multipart/form-data' }, taken: 0 })
  return message as unknown as IncomingMessage & { taken: number }
}

function open(message: IncomingMessage): AsyncIterator<BodyPart> {
  return new Upload(message, new EventEmitter() as ServerResponse, 'edge', { parts: 1000, partHeaderBytes: 1000, bodyTimeoutMs: 0 })[
    Symbol.asyncIterator
  ]()
}

const HEAD = '--edge\r\nContent-Disposition: form-data; filename="f"\r\n\r\n'

function* large(chunks: number): Generator<Buffer> {
  yield Buffer.from(HEAD)
  for (let i = 0; i < chunks; i++) yield Buffer.alloc(CHUNK, i)
  yield Buffer.from('\r\n--edge--\r\n')
}

const turns = async (n: number) => {
  for (let i = 0; i < n; i++) await new Promise(resolve => setImmediate(resolve))
}

test('nothing is read before the first part is asked for', async t => {
  const message = request(large(10))
  open(message)
  await turns(10)
  t.is(message.taken, 0)
})

test('no more is read than a command takes, but for a bounded rest', async t => {
  const message = request(large(1000))
  const parts = open(message)
  const part = (await parts.next()).value as BodyPart
  await turns(100)
  t.true(message.taken <= 8 * CHUNK, `${message.taken}`)
  let size = 0
  for await (const bytes of part.bytes()) {
    size += bytes.length
    t.true(message.taken - size <= 8 * CHUNK)
  }
  t.is(size, 1000 * CHUNK)
  t.true((await parts.next()).done)
})

test('bytes are handed on as they came, uncopied', async t => {
  const chunk = Buffer.alloc(CHUNK, 'x')
  const parts = open(request([Buffer.from(HEAD), chunk, Buffer.from('\r\n--edge--')]))
  const part = (await parts.next()).value as BodyPart
  const { value } = await part.bytes()[Symbol.asyncIterator]().next()
  t.is((value as Buffer).buffer, chunk.buffer)
})

test('a lent piece loses its memory once the next is asked for, and nothing is lost', async t => {
  const parts = open(request(large(20)))
  const part = (await parts.next()).value as BodyPart
  let [before, copy]: [Uint8Array | undefined, Buffer] = [undefined, Buffer.alloc(0)]
  for await (const bytes of part.bytes({ lent: true })) {
    t.is(before?.length ?? 0, 0)
    copy = Buffer.concat([copy, bytes])
    before = bytes
  }
  t.deepEqual(copy, Buffer.concat([...large(20)].slice(1, -1)))
})

test('pieces that were not asked for as lent keep their bytes', async t => {
  const parts = open(request(large(20)))
  const part = (await parts.next()).value as BodyPart
  const pieces = await take(part)
  t.true((await parts.next()).done)
  t.deepEqual(Buffer.concat(pieces), Buffer.concat([...large(20)].slice(1, -1)))
})

test('pieces that share their memory with one that is kept keep it too', async t => {
  const body = Buffer.from(`${HEAD}${'a'.repeat(5000)}\r\n${HEAD}${'b'.repeat(5000)}\r\n${HEAD}${'c'.repeat(5000)}\r\n--edge--`)
  for (const at of [0, 100, 5100, body.length - 4]) {
    const chunks = [body.subarray(0, at), body.subarray(at)].map(bytes => Buffer.from(new Uint8Array(bytes).buffer))
    const parts = open(request(chunks))
    const first = (await parts.next()).value as BodyPart
    const kept = await take(first)
    const second = (await parts.next()).value as BodyPart
    let lent = 0
    for await (const bytes of second.bytes({ lent: true })) lent += bytes.length
    const third = (await parts.next()).value as BodyPart
    for await (const bytes of third.bytes()) kept.push(bytes)
    t.true((await parts.next()).done)
    t.is(Buffer.concat(kept).toString(), 'a'.repeat(5000) + 'c'.repeat(5000))
    t.is(lent, 5000)
  }
})

test('what is left unread of a part is skipped, and cannot be read later', async t => {
  const parts = open(request([...large(3)].slice(0, -1).concat(Buffer.from(`\r\n${HEAD}two\r\n--edge--`))))
  const first = (await parts.next()).value as BodyPart
  const second = (await parts.next()).value as BodyPart
  t.is(Buffer.concat(await take(second)).toString(), 'two')
  t.deepEqual(await take(first), [])
  t.deepEqual(await take(second), [])
  t.true((await parts.next()).done)
  t.true((await parts.next()).done)
})

test('a body that ends in a part is an error of its bytes, then of the body', async t => {
  const parts = open(request([Buffer.from(`${HEAD}half`)]))
  const part = (await parts.next()).value as BodyPart
  await t.throwsAsync(take(part), { code: 'E_UNEXPECTED_EOF', message: 'unexpected EOF' })
  await t.throwsAsync(parts.next() as Promise<unknown>, { message: 'multipart: NextPart: EOF' })
  await t.throwsAsync(parts.next() as Promise<unknown>, { message: 'multipart: NextPart: EOF' })
})

async function take(part: BodyPart): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const bytes of part.bytes()) chunks.push(bytes)
  return chunks
}

interface Named {
  Path: string
  Kind: string
  Data?: string
  AbsPath?: string
}

async function named(t: Parameters<typeof openTestRpc>[0], ...parts: Parameters<typeof form>): Promise<Named[]> {
  const rpc = await openTestRpc(t, { commands: all })
  const answer = await (await rpc.post('parts?read', form(...parts))).text()
  return answer
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Named)
}

const disposed = (value: string, ...more: string[]) => ({ head: [`Content-Disposition: ${value}`, ...more], data: 'x' })

test('paths are unescaped, cleaned, and never leave the upload', async t => {
  const paths = await named(
    t,
    disposed('form-data; filename="a%20b+c%2Bd"'),
    disposed('form-data; filename="../../up"'),
    disposed('form-data; filename="%2Fabs%2F..%2Fb%2F"'),
    disposed('form-data; filename="100%"'),
    disposed('attachment; filename=plain'),
    disposed('form-data; name="x"'),
    disposed("form-data; filename*=UTF-8''%C3%A9"),
    { head: ['Content-Disposition: form-data; filename="Ã©"'.normalize()], data: '' }
  )
  t.deepEqual(
    paths.map(({ Path }) => Path),
    ['/a b c+d', '/up', '/b', '/100%', '/plain', '/', '/é', '/Ã©']
  )
})

test('kinds come from the type, and a folder has no bytes', async t => {
  const kinds = await named(
    t,
    disposed('form-data; filename=d', 'Content-Type: Application/X-Directory; a=b'),
    disposed('form-data; filename="d/e"', 'Content-Type: multipart/form-data'),
    disposed('form-data; filename=l', 'Content-Type: application/symlink'),
    disposed('form-data; filename=f', 'Content-Type: '),
    disposed('form-data; filename=q', 'Content-Transfer-Encoding: Quoted-Printable')
  )
  t.deepEqual(
    kinds.map(({ Kind, Data }) => [Kind, Data]),
    [
      ['directory', ''],
      ['directory', ''],
      ['symlink', 'x'],
      ['file', 'x'],
      ['file', 'x']
    ]
  )
})

test('where the sender has a file is told, encoded or not', async t => {
  const paths = await named(
    t,
    disposed('form-data; filename=a', 'Abspath: /a b'),
    disposed('form-data; filename=b', 'Abspath: /ignored', 'Abspath-Encoded: %2Fa+b')
  )
  t.deepEqual(
    paths.map(({ AbsPath }) => AbsPath),
    ['/a b', '/a b']
  )
})

test('a part without a disposition ends the upload', async t => {
  const paths = await named(t, 'first', { head: ['Content-Type: text/plain'], data: 'x' }, 'third')
  t.deepEqual(
    paths.map(({ Path }) => Path),
    ['/0']
  )
})
