import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import test from 'ava'
import { answering, echoing, serveRoutes } from './support/serve.ts'

test('the signal of a route fires when its caller leaves, and not when the answer is over', async t => {
  const signals: AbortSignal[] = []
  let began = () => {}
  const begun = new Promise<void>(resolve => {
    began = resolve
  })
  const waits = answering('/waits', {
    async handle(_, __, ___, { signal }) {
      signals.push(signal)
      began()
      await once(signal, 'abort')
      throw signal.reason
    }
  })
  const answers = answering('/answers', {
    handle(_, __, response, { signal }) {
      signals.push(signal)
      response.end('yes')
    }
  })
  const { wire, ask, host } = await serveRoutes(t, [waits, answers])
  Object.assign(host.logs.get('own'), { error: (_: unknown, line: string) => t.fail(line) })
  const leaver = await wire()
  leaver.ask('GET /waits HTTP/1.1')
  await begun
  t.false(signals[0]!.aborted)
  leaver.leave()
  await once(signals[0]!, 'abort')
  t.like(signals[0]!.reason, { code: 'E_CANCELLED' })
  t.is((await ask('GET', '/answers')).text, 'yes')
  t.false(signals[1]!.aborted)
})

test('a route that does not begin to answer is answered 503 and told by its plugin’s name, and its signal fires', async t => {
  let reason: unknown
  const silent = answering('/silent', {
    handle: (_, __, ___, { signal }) => signal.addEventListener('abort', () => (reason = signal.reason))
  })
  const slow = answering('/slow', {
    async handle(_, __, response) {
      response.write('first ')
      await after(300)
      response.end('last')
    }
  })
  const limits = { answerTimeoutMs: 100 }
  const { ask, host } = await serveRoutes(t, [silent, slow], { configuration: { rpc: { limits } as never } })
  const lines: unknown[] = []
  Object.assign(host.logs.get('own'), { error: (line: unknown) => lines.push(line) })
  const said = "plugin 'own': its route GET /silent did not begin to answer within 100 ms (rpc.limits.answerTimeoutMs)"
  t.like(await ask('GET', '/silent'), { status: 503, text: `${said}\n` })
  t.deepEqual(lines, [said])
  t.like(reason, { code: 'E_ROUTE_SILENT' })
  t.like(await ask('GET', '/slow'), { status: 200, text: 'first last' })
})

test('the time to answer runs from the last of the request on', async t => {
  const limits = { answerTimeoutMs: 200 }
  const { wire } = await serveRoutes(t, [echoing('/echo')], { configuration: { rpc: { limits } as never } })
  const sender = await wire()
  sender.ask('POST /echo HTTP/1.1', ['Content-Length: 8', 'Connection: close'])
  for (let i = 0; i < 8; i++) {
    await after(60)
    sender.say('x')
  }
  t.regex(await sender.end(), /^HTTP\/1\.1 200 [\s\S]*xxxxxxxx$/)
})

test('an answer that would never end is told that the node stops, and then has its grace', async t => {
  const events = answering('/events', {
    handle(_, __, response, { stopping }) {
      response.write('event\n')
      stopping.addEventListener('abort', () => response.end('the end\n'))
    }
  })
  const { url, host } = await serveRoutes(t, [events])
  const response = await fetch(`${url}/events`)
  const stopped = host.stop()
  t.is(await response.text(), 'event\nthe end\n')
  t.deepEqual(await stopped, [])
})

test('many requests at a time may wait for the end of the node, and those that are over wait no more', async t => {
  let waiting = 0
  const waits = answering('/waits', {
    handle(_, __, response, { stopping }) {
      waiting++
      stopping.addEventListener('abort', () => response.end('end'))
    }
  })
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  t.teardown(() => process.off('warning', warned))
  const { url, host, wire } = await serveRoutes(t, [waits])
  const leaver = await wire()
  leaver.ask('GET /waits HTTP/1.1')
  const answers = Array.from({ length: 20 }, async () => (await fetch(`${url}/waits`)).text())
  while (waiting < 21) await after(5)
  leaver.leave()
  t.deepEqual(await host.stop(), [])
  t.deepEqual(new Set(await Promise.all(answers)), new Set(['end']))
  t.deepEqual(warnings, [])
})

test('what does not end within the grace is cut off, and its signal fires', async t => {
  let signal: AbortSignal | undefined
  const endless = answering('/endless', {
    handle(_, __, response, context) {
      signal = context.signal
      response.write('event\n')
    }
  })
  const limits = { stopGraceMs: 50 }
  const { url, host } = await serveRoutes(t, [endless], { configuration: { rpc: { limits } as never } })
  const response = await fetch(`${url}/endless`)
  const text = t.throwsAsync(response.text())
  t.deepEqual(await host.stop(), [])
  await text
  if (!signal!.aborted) await once(signal!, 'abort')
  t.like(signal!.reason, { code: 'E_CANCELLED' })
})
