import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import test from 'ava'
import { BeginningTurns, TURN_MS } from '../../../../host/http/listen/pipelined.ts'
import type { Wire } from '../../rpc/support/wire.ts'
import { answering, serveRoutes } from '../support/serve.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

/** Once so many answers have come. */
async function answered(wire: Wire, count: number): Promise<string> {
  while (wire.seen.split('HTTP/1.1 ').length - 1 < count) await wire.more()
  return wire.seen
}

/** A route that answers with the number of the request once it is told to. */
function holding() {
  const held: ServerResponse[] = []
  let begun = 0
  const route = answering('/hold', {
    handle(_, __, response) {
      begun++
      held.push(response)
    }
  })
  const answer = () => {
    for (const response of held.splice(0)) response.end('held')
  }
  return { route, answer, begun: () => begun }
}

test('a connection has four requests under way, however many it sends', async t => {
  const { route, answer, begun } = holding()
  const served = await serveRoutes(t, [route, answering('/quick')])
  const wire = await served.wire()
  wire.say(get('/hold').repeat(20))
  for (let i = 0; i < 20; i++) await served.ask('GET', '/quick')
  t.is(begun(), 4)
  for (let done = 4; done <= 20; done += 4) {
    answer()
    await answered(wire, done)
    for (let i = 0; i < 10; i++) await served.ask('GET', '/quick')
    t.is(begun(), Math.min(20, done + 4))
  }
  t.is(wire.seen.split('held').length - 1, 20)
})

/** A route whose requests are counted as they begin, and another that notes how many had begun when it is asked. */
function counted(answer: (response: ServerResponse) => Promise<void>) {
  const came = Promise.withResolvers<void>()
  let begun = 0
  let before = Number.NaN
  const flooded = answering('/flooded', {
    handle(_, __, response) {
      begun++
      came.resolve()
      return answer(response)
    }
  })
  const other = answering('/other', {
    handle(_, __, response) {
      before = begun
      response.end('other')
    }
  })
  return { flooded, other, came: came.promise, begun: () => begun, before: () => before }
}

test('requests that are sent without reading their answers leave others their turn', async t => {
  const CONNECTIONS = 50
  const EACH = 200
  const { flooded, other, came, begun, before } = counted(async response => void response.end('some'))
  const served = await serveRoutes(t, [flooded, other])
  const wire = await served.wire()
  const flooding = await Promise.all(Array.from({ length: CONNECTIONS }, () => served.wire()))
  for (const { socket } of flooding) socket.pause().write(get('/flooded').repeat(EACH))
  await came
  wire.say(get('/other'))
  await wire.until(/other$/)
  t.true(before() < (CONNECTIONS * EACH) / 5, `${before()} of ${CONNECTIONS * EACH} began before`)
  for (const one of flooding) {
    one.socket.resume()
    await answered(one, EACH)
  }
  t.is(begun(), CONNECTIONS * EACH)
})

test('a connection on which requests wait is read no further, whether or not they have bodies', async t => {
  const COUNT = 20_000
  const { route, answer } = holding()
  let socket: Socket | undefined
  let begunBytes = 0
  let ahead = 0
  let expected = 0
  const counted = answering('/counted', {
    method: 'POST',
    async handle(_, request: IncomingMessage, response) {
      begunBytes += expected
      ahead = Math.max(ahead, request.socket.bytesRead - begunBytes)
      for await (const _piece of request);
      response.end('some')
    }
  })
  const first = answering('/first', {
    handle(...call) {
      socket = call[1].socket
      return route.handle(...call)
    }
  })
  const served = await serveRoutes(t, [first, counted, answering('/quick')])
  for (const body of ['', 'body']) {
    const request = `POST /counted HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const wire = await served.wire()
    wire.say(get('/first') + request.repeat(COUNT))
    for (let i = 0; i < 50; i++) await served.ask('GET', '/quick')
    const read = socket!.bytesRead
    t.true(read < 400_000, `${read} of ${COUNT * request.length} bytes were read`)
    ;[expected, begunBytes, ahead] = [request.length, get('/first').length, 0]
    answer()
    await answered(wire, COUNT + 1)
    t.true(ahead < 400_000, `${ahead} bytes were read ahead`)
  }
})

test('requests of many connections that take long each leave those of another listener their turn', async t => {
  const CONNECTIONS = 60
  const works = (milliseconds: number) => {
    for (const until = performance.now() + milliseconds; performance.now() < until; );
  }
  const { flooded, other, came, begun, before } = counted(async response => {
    await Promise.resolve()
    // as in what goes on once something was waited for
    works(15)
    response.end('heavy')
  })
  const [served, beside] = [await serveRoutes(t, [flooded, answering('/quick')]), await serveRoutes(t, [other])]
  const flooding = await Promise.all(Array.from({ length: CONNECTIONS }, () => served.wire()))
  // a connection is accepted a turn, so that all are there before any has much to do
  for (const one of flooding) {
    one.say(get('/quick'))
    await one.until(/quick$/)
    one.clear()
  }
  const wire = await beside.wire()
  for (const one of flooding) one.say(get('/flooded').repeat(2))
  await came
  wire.say(get('/other'))
  await wire.until(/other$/)
  t.true(before() < CONNECTIONS / 4, `${before()} of ${2 * CONNECTIONS} began before`)
  for (const one of flooding) await answered(one, 2)
  t.is(begun(), 2 * CONNECTIONS)
})

test('of requests that wait for their turn, callers begin in turns, however many one has', async t => {
  const turns = new BeginningTurns()
  const begun: string[] = []
  const done = Promise.withResolvers<void>()
  const take = (caller: string) =>
    turns.take(caller, () => {
      begun.push(caller)
      for (const until = performance.now() + TURN_MS + 1; performance.now() < until; );
      if (begun.length === 14) done.resolve()
    })
  for (let i = 0; i < 10; i++) take('many')
  for (let i = 0; i < 2; i++) for (const few of ['few', 'another']) take(few)
  await done.promise
  t.is(begun.join(' '), 'many many few another many few another many many many many many many many')
})
