import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { bytes, command, files, type Json, route, value } from '../../../core/index.ts'
import { one } from '../rpc/support/commands.ts'
import { holding } from '../rpc/support/hold.ts'
import { openTestRpc, type TestRpc } from '../rpc/support/rpc.ts'
import { bodyOf, type Wire } from '../rpc/support/wire.ts'

const control = command.read('control', { control: true, help: '', reply: value(z.looseObject({})), run: () => ({}) })

const UPLOAD = [
  'POST /api/v0/echo HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: multipart/form-data; boundary=e',
  'Transfer-Encoding: chunked'
]
const START = chunk('--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx')

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

function begun(wire: Wire, ...fields: string[]): Wire {
  wire.socket.write([...UPLOAD, ...fields, '', START].join('\r\n'))
  return wire
}

/** An echo that tells how many requests came to it, and goes on once `release` settles. */
function counting(release?: Promise<void>) {
  let running = 0
  let told = () => {}
  const counted = command.read('echo', {
    help: '',
    body: files('data', 'Anything.'),
    reply: bytes(),
    async *run(_, { body }) {
      running++
      told()
      for await (const part of body) {
        await release
        yield* part.bytes()
      }
    }
  })
  const reach = async (many: number) => {
    while (running < many) {
      await new Promise<void>(resolve => {
        told = resolve
      })
    }
  }
  return { counted, reach }
}

async function status(rpc: TestRpc, path: string, init?: RequestInit): Promise<[status: number, body: string]> {
  const response = await rpc.post(path, init)
  return [response.status, await response.text()]
}

async function open(t: ExecutionContext, limits: Record<string, number>, config?: Record<string, Json>) {
  const { counted, reach } = counting()
  const rpc = await openTestRpc(t, { commands: [one, control, counted], settings: { limits }, config })
  return { rpc, reach }
}

test('one caller has seven eighths of the slots, and another still gets in', async t => {
  const { rpc, reach } = await open(t, { concurrentRequests: 8 })
  const wires: Wire[] = []
  for (let i = 0; i < 7; i++) wires.push(begun(await rpc.wire()))
  await reach(7)
  const [refused, body] = await status(rpc, 'one')
  t.is(refused, 503)
  t.regex(body, /^this node already runs 7 requests of yours at a time \(rpc\.limits\.requestsPerCaller\)/)
  t.is((await status(rpc, 'control'))[0], 200)
  const wire = await rpc.wire('127.0.0.2')
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0', 'Connection: close'])
  t.regex(await wire.end(), /^HTTP\/1\.1 200 /)
  wires[0]!.leave()
  for (let answer = refused; answer !== 200; ) answer = (await status(rpc, 'one'))[0]
})

test('of callers with a secret each has its share, wherever it calls from', async t => {
  const user = (name: string) => ({ AuthSecret: `bearer:${name}`, AllowedPaths: ['/api/v0'] })
  const { rpc, reach } = await open(
    t,
    { concurrentRequests: 8, requestsPerCaller: 3 },
    { 'API.Authorizations': { a: user('a'), b: user('b') } }
  )
  for (let i = 0; i < 3; i++) begun(await rpc.wire(), 'Authorization: Bearer a')
  await reach(3)
  const as = (name: string) => status(rpc, 'one', { headers: { Authorization: `Bearer ${name}` } })
  t.is((await as('a'))[0], 503)
  t.is((await as('b'))[0], 200)
  t.is((await as('c'))[0], 403)
})

test('commands and routes for the control of a node have slots of their own', async t => {
  const { counted, reach } = counting()
  const routes = [true, false].map(isControl => ({
    plugin: 'test',
    declaration: route({
      listener: 'rpc',
      method: 'GET',
      path: `/${isControl ? 'control' : 'other'}`,
      help: '',
      control: isControl,
      handle: (_, __, response) => void response.end('in')
    }),
    services: {}
  }))
  const limits = { concurrentRequests: 1, controlRequests: 1 }
  const rpc = await openTestRpc(t, { commands: [one, control, counted], routes, settings: { limits } })
  begun(await rpc.wire())
  await reach(1)
  for (let i = 0; i < 3; i++) t.is((await status(rpc, 'control'))[0], 200)
  t.is((await status(rpc, 'one'))[0], 503)
  const got = async (path: string) => (await fetch(rpc.url + path)).status
  t.is(await got('/control'), 200)
  t.is(await got('/version'), 200)
  t.is(await got('/plugins'), 200)
  t.is(await got('/other'), 503)
  t.is(await got('/docs'), 503)
})

test('requests behind one that stands still hold no slot once their connection is gone', async t => {
  const { counted, reach } = counting()
  const { hold, arrived } = holding()
  const rpc = await openTestRpc(t, {
    commands: [one, counted, hold],
    settings: { limits: { concurrentRequests: 4, requestsPerCaller: 4 } }
  })
  const wire = await rpc.wire()
  for (const path of ['hold', 'one', 'one']) wire.ask(`POST /api/v0/${path} HTTP/1.1`, ['Content-Length: 0'])
  await arrived()
  wire.leave()
  const wires = await Promise.all(Array.from({ length: 4 }, () => rpc.wire()))
  // one after the other, until the connection is known to be gone
  for (let answer = 0; answer !== 200; ) answer = (await status(rpc, 'one'))[0]
  for (const one of wires) begun(one)
  await reach(4)
  t.pass()
})

test('answers for the control of a node that wait behind another on their connection keep nobody from it', async t => {
  const { counted, reach } = counting(new Promise(() => {}))
  const rpc = await openTestRpc(t, { commands: [one, control, counted], settings: { limits: { controlRequests: 4 } } })
  const wire = await rpc.wire()
  const body = '--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--e--\r\n'
  wire.ask(UPLOAD[0]!, [UPLOAD[2]!, `Content-Length: ${body.length}`], body)
  await reach(1)
  for (let i = 0; i < 8; i++) wire.ask('POST /api/v0/control HTTP/1.1', ['Content-Length: 0'])
  // what is sent later on another connection is looked at later
  t.is((await status(rpc, 'one'))[0], 200)
  for (let i = 0; i < 8; i++) t.is((await status(rpc, 'control'))[0], 200)
})

test('a body that stands still while a command waits for it ends its call', async t => {
  const { rpc, reach } = await open(t, { bodyTimeoutMs: 100 })
  const wire = begun(await rpc.wire())
  await reach(1)
  t.regex(await wire.end(), /nothing more of the request's body came for 100 ms \(rpc\.limits\.bodyTimeoutMs\)/)
  const early = await rpc.wire()
  early.socket.write([...UPLOAD, '', chunk('--e\r\nContent-Dispo')].join('\r\n'))
  const answer = await early.end()
  t.regex(answer, /^HTTP\/1\.1 400 /)
  t.regex(bodyOf(answer), /"Message":"nothing more of the request's body came/)
})

test('a command that still waits for a body after its time comes to its end', async t => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const lasting = command.read('lasting', {
    help: '',
    body: files('data', 'Anything.'),
    reply: bytes(),
    async *run(_, { body }) {
      try {
        for await (const part of body) yield* part.bytes()
        resolve('whole')
      } catch (error) {
        resolve((error as { code: string }).code)
        throw error
      }
    }
  })
  const rpc = await openTestRpc(t, { commands: [lasting] })
  const wire = await rpc.wire()
  wire.socket.write(['POST /api/v0/lasting?timeout=50ms HTTP/1.1', ...UPLOAD.slice(1), '', START].join('\r\n'))
  t.regex(await wire.end(), /context deadline exceeded/)
  t.is(await promise, 'E_UNEXPECTED_EOF')
})

test('a body that moves goes on, however slow', async t => {
  const { rpc } = await open(t, { bodyTimeoutMs: 250 })
  const wire = begun(await rpc.wire())
  const began = performance.now()
  let sent = 1
  while (performance.now() - began < 1000) {
    wire.socket.write(chunk('~'))
    sent++
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  wire.socket.write(`${chunk('\r\n--e--\r\n')}0\r\n\r\n`)
  const answer = await wire.until(/\r\n0\r\n/)
  t.regex(answer, /^HTTP\/1\.1 200 /)
  t.is(answer.match(/~/g)!.length, sent - 1)
})

test('a body that is whole, and one that a command rests over, may take any time', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pausing = counting(promise).counted
  const rpc = await openTestRpc(t, { commands: [pausing], settings: { limits: { bodyTimeoutMs: 20 } } })
  const wire = begun(await rpc.wire())
  setTimeout(() => {
    wire.socket.write(`${chunk('z\r\n--e--\r\n')}0\r\n\r\n`)
    resolve()
  }, 100)
  t.regex(await wire.until(/\r\n0\r\n/), /^HTTP\/1\.1 200 [\s\S]*xz/)
})

test('a route that leaves a body in the middle ends its connection, and frees its slot', async t => {
  const declaration = route({
    listener: 'rpc',
    method: 'PUT',
    path: '/leaves',
    help: '',
    handle: async (_, request, response) => {
      for await (const _ of request) break
      response.end()
    }
  })
  const limits = { concurrentRequests: 1 }
  const rpc = await openTestRpc(t, { commands: [one], routes: [{ plugin: 'test', declaration, services: {} }], settings: { limits } })
  for (let i = 0; i < 3; i++) {
    const body = new ReadableStream<Uint8Array>({ pull: controller => controller.enqueue(new Uint8Array(1 << 16)) })
    await fetch(`${rpc.url}/leaves`, { method: 'PUT', body, duplex: 'half' } as RequestInit).catch(() => {})
  }
  t.is((await rpc.post('one')).status, 200)
})
