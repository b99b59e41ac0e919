import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'ava'
import { seeded } from '../helpers/random.ts'
import { Wire } from '../host/rpc/support/wire.ts'
import { type Attack, attacks } from './support/attack.ts'
import { Made, RAW, unixfs } from './support/blocks.ts'
import { startTarget, type Target } from './support/node.ts'

const MIB = 1 << 20
const VERSION = 'POST /api/v0/version HTTP/1.1\r\nHost: 127.0.0.1\r\n'
const BAD = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const LARGE = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n'

/** What is said on a connection, and all that comes back before it is closed. */
function refused(name: string, text: string, answer: string = BAD): Attack {
  return {
    name,
    async act({ port }) {
      const wire = await Wire.to(port)
      wire.socket.write(text, 'latin1')
      assert.equal(await wire.end(), answer)
    }
  }
}

const forms: readonly Attack[] = [
  refused('a length and chunks at once', `${VERSION}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  refused('two lengths', `${VERSION}Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456`),
  refused('a length with a sign', `${VERSION}Content-Length: +5\r\n\r\n12345`),
  refused('a length beyond all', `${VERSION}Content-Length: 99999999999999999999\r\n\r\n`),
  refused('a blank before a colon', `${VERSION}Content-Length : 5\r\n\r\n12345`),
  refused('chunks that are not the last encoding', `${VERSION}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`),
  refused('an encoding that is almost chunks', `${VERSION}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`),
  refused('a folded field', `${VERSION}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`),
  refused('a NUL in a field', `${VERSION}X: a\0b\r\nContent-Length: 0\r\n\r\n`),
  refused('a carriage return in a field', `${VERSION}X: a\rb\r\nContent-Length: 0\r\n\r\n`),
  refused('line feeds alone', `${VERSION.replaceAll('\r\n', '\n')}Content-Length: 0\n\n`),
  refused('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('TLS', '\x16\x03\x01\x02\x00\x01\x00'),
  refused('an unknown method', 'FOO /api/v0/version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  refused('a blank in the target', 'POST /api/v0/version?a b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  refused('a chunk without a size', `${VERSION}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
  refused('a chunk of 2^68 bytes', `${VERSION}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`),
  refused(
    'a megabyte behind the size of a chunk',
    `${VERSION}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(MIB)}`,
    'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n'
  ),
  refused('a header of 10 MB', `${VERSION}X: ${'y'.repeat(10 * MIB)}`, LARGE),
  refused('400,000 trailers', `${VERSION}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(400_000)}`, LARGE),
  {
    name: 'a target of 10 MB, and a million fields, on connections that are closed',
    async act({ port }) {
      for (const text of [`POST /api/v0/version?x=${'y'.repeat(10 * MIB)}`, VERSION + 'X: y\r\n'.repeat(1_000_000)]) {
        const wire = await Wire.to(port)
        wire.socket.write(text, 'latin1')
        assert.match(await wire.end(), /^(?:HTTP\/1\.1 431 |$)/)
      }
    }
  },
  {
    name: '5,000 requests at once on one connection',
    async act({ port }) {
      const wire = await Wire.to(port)
      wire.socket.write(`${VERSION}Content-Length: 0\r\n\r\n`.repeat(5000))
      const answered = (status: number) => wire.seen.split(`HTTP/1.1 ${status} `).length - 1
      // as many as one caller may have at a time are run; what comes faster than they are is refused
      while (answered(200) + answered(503) < 5000) {
        assert.ok(!wire.closed)
        await wire.more()
      }
      assert.ok(answered(200) >= 896)
      assert.equal(wire.seen.split('rpc.limits.requestsPerCaller').length - 1, answered(503))
      wire.leave()
    }
  },
  {
    name: '200 connections whose headers come a byte at a time, or not at all',
    async act({ port }) {
      const wires = await Promise.all(Array.from({ length: 200 }, () => Wire.to(port)))
      const timer = setInterval(() => {
        for (const wire of wires.slice(100)) if (!wire.closed) wire.socket.write('P')
      }, 20)
      const answers = await Promise.all(wires.map(wire => wire.end()))
      clearInterval(timer)
      assert.deepEqual(
        answers.slice(0, 100),
        Array.from({ length: 100 }, () => 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
      )
      for (const answer of answers.slice(100)) assert.match(answer, /^HTTP\/1\.1 40[08] /)
    }
  }
]

/** A folder that unpacks to more than anybody waits for. */
async function endless(target: Target): Promise<string> {
  const made = new Made()
  let cid = await made.pb(unixfs({ type: 2, sizes: [65_536n], size: 65_536n }), [
    ['', await made.add(RAW, new Uint8Array(65_536).fill(1)), 65_536]
  ])
  for (let level = 0; level < 6; level++) {
    cid = await made.pb(
      unixfs({ type: 1 }),
      Array.from({ length: 40 }, (_, i) => [`f${i}`, cid, 1] as const)
    )
  }
  await made.into(target)
  return cid.toString()
}

const clients: readonly Attack[] = [
  {
    name: '50 clients that never read their answers',
    async act(target) {
      const cid = await endless(target)
      const wires = await Promise.all(Array.from({ length: 50 }, () => Wire.to(target.port)))
      for (const [i, wire] of wires.entries()) {
        wire.socket.pause()
        wire.ask(`POST /api/v0/${i % 2 === 0 ? 'get' : 'refs'}?recursive=true&arg=${cid} HTTP/1.1`, ['Content-Length: 0'])
      }
      while ((await target.vitals()).running < 50) await target.ask({ path: 'version' })
      for (let i = 0; i < 300; i++) await target.ask({ path: 'version' })
      for (const wire of wires) wire.leave()
    },
    memory: 160
  },
  {
    name: '50 uploads of which a byte comes now and then',
    async act(target) {
      const wires = await Promise.all(Array.from({ length: 50 }, () => Wire.to(target.port)))
      const head = '--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
      for (const wire of wires) {
        wire.ask('POST /api/v0/add?pin=false HTTP/1.1', ['Content-Type: multipart/form-data; boundary=e', 'Content-Length: 1000000'], head)
      }
      while ((await target.vitals()).running < 50) await target.ask({ path: 'version' })
      for (let i = 0; i < 200; i++) {
        for (const wire of wires) wire.socket.write('x')
        await target.ask({ path: 'version' })
      }
      for (const wire of wires) wire.leave()
    }
  },
  {
    name: '300 clients that leave at any instant',
    async act(target) {
      const cid = await endless(target)
      const random = seeded(7)
      const head = '--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
      const upload = [
        `POST /api/v0/add?pin=false HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=e\r\nContent-Length: 5000000\r\n\r\n${head}`,
        'x'.repeat(300_000)
      ]
      for (let round = 0; round < 30; round++) {
        const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.to(target.port)))
        await Promise.all(
          wires.map(async (wire, i) => {
            const path = ['get', 'refs', 'dag/stat', 'dag/export', 'pin/add', 'ls'][i] ?? 'version'
            const query = i % 2 === 0 ? '?recursive=true&arg=' : '?arg='
            const said =
              i < 7 ? `POST /api/v0/${path}${query}${cid} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n` : upload.join('')
            const part = random.below(3) === 0 ? said.slice(0, random.below(said.length)) : said
            wire.socket.write(part, 'latin1')
            for (let turns = random.below(8); turns > 0; turns--) await new Promise(resolve => setImmediate(resolve))
            if (random.below(2) === 0) wire.socket.resetAndDestroy()
            else wire.leave()
          })
        )
      }
    },
    memory: 160
  }
]

attacks(test, [...forms, ...clients], { rpc: { limits: { headerTimeoutMs: 1000 } } })

test('1,100 uploads that stand still keep nobody from looking at the node and from stopping it', async t => {
  const target = await startTarget({ rpc: { limits: { stopGraceMs: 100 } } })
  t.teardown(() => target.stop())
  const gone = once(target.process, 'exit')
  const wires = await Promise.all(Array.from({ length: 1100 }, () => Wire.to(target.port)))
  const head = '--e\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
  for (const wire of wires) {
    wire.ask('POST /api/v0/add HTTP/1.1', ['Content-Type: multipart/form-data; boundary=e', 'Content-Length: 1000000'], head)
  }
  let refused = 0
  const enough = Promise.withResolvers<void>()
  for (const wire of wires) {
    wire.end().then(answer => {
      if (answer.startsWith('HTTP/1.1 503 ') && ++refused === 1100 - 896) enough.resolve()
    })
  }
  await enough.promise
  t.is((await target.ask({ path: 'repo/version' })).status, 503)
  for (const path of ['version', 'id', 'diag/cmds', 'shutdown']) t.is((await target.ask({ path })).status, 200, path)
  await gone
  t.is(target.process.exitCode, 0)
})

test('a node under attack stops when it is told to', async t => {
  const target = await startTarget()
  const cid = await endless(target)
  const wires = await Promise.all(Array.from({ length: 20 }, () => Wire.to(target.port)))
  for (const wire of wires) {
    wire.socket.pause()
    wire.ask(`POST /api/v0/get?arg=${cid} HTTP/1.1`, ['Content-Length: 0'])
  }
  while ((await target.vitals()).running < 20) await target.ask({ path: 'version' })
  await target.stop()
  t.is(target.process.exitCode, 0)
  for (const wire of wires) wire.leave()
})
