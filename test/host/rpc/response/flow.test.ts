import test from 'ava'
import { z } from 'zod'
import { bytes, command, p, stream } from '../../../../core/index.ts'
import { all } from '../support/commands.ts'
import { openTestRpc } from '../support/rpc.ts'
import { bodyOf } from '../support/wire.ts'

test('items of one turn go out in one chunk, those of different turns do not wait for each other', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/count?count=3 HTTP/1.1')
  t.is(bodyOf(await wire.until(/0\r\n\r\n$/)), '18\r\n{"N":0}\n{"N":1}\n{"N":2}\n\r\n0\r\n\r\n')
  wire.clear()
  wire.ask('POST /api/v0/count?count=3&slow HTTP/1.1')
  t.is(bodyOf(await wire.until(/0\r\n\r\n$/)), '8\r\n{"N":0}\n\r\n8\r\n{"N":1}\n\r\n8\r\n{"N":2}\n\r\n0\r\n\r\n')
})

test('an item is sent while the next one is still awaited', async t => {
  let go = () => {}
  const waiting = command.read('waiting', {
    help: '',
    reply: stream(z.object({ N: z.int() })),
    async *run() {
      yield { N: 1 }
      await new Promise<void>(resolve => {
        go = resolve
      })
      yield { N: 2 }
    }
  })
  const rpc = await openTestRpc(t, { commands: [waiting] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/waiting HTTP/1.1')
  t.true((await wire.until(/"N":1\}\n\r\n/)).endsWith('8\r\n{"N":1}\n\r\n'))
  go()
  await wire.until(/"N":2\}\n\r\n0\r\n\r\n$/)
  t.pass()
})

test('the head of bytes goes out before the first of them is there', async t => {
  let go = () => {}
  const late = command.read('late', {
    help: '',
    reply: bytes(),
    run: () => ({
      bytes: (async function* () {
        await new Promise<void>(resolve => {
          go = resolve
        })
        yield Buffer.from('x')
      })()
    })
  })
  const rpc = await openTestRpc(t, { commands: [late] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/late HTTP/1.1')
  t.regex(await wire.until(/\r\n\r\n/), /X-Stream-Output: 1/)
  go()
  t.true((await wire.until(/0\r\n\r\n$/)).endsWith('1\r\nx\r\n0\r\n\r\n'))
})

test('a large answer waits for a client that does not read', async t => {
  let made = 0
  const endless = command.read('endless', {
    help: '',
    reply: bytes(),
    async *run() {
      for (; made < 2000; made++) yield Buffer.alloc(64 * 1024)
    }
  })
  const rpc = await openTestRpc(t, { commands: [...all, endless] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/endless HTTP/1.1')
  await wire.until(/\r\n\r\n/)
  wire.socket.pause()
  let before = -1
  // the system's own buffers take some; then nothing more is made
  while (made !== before) {
    before = made
    for (let i = 0; i < 20; i++) await (await rpc.post('one')).text()
  }
  t.true(made < 2000)
  wire.socket.resume()
  while (wire.size < 2000 * 64 * 1024) {
    wire.clear()
    await wire.more()
  }
  // the last piece is out before its maker goes on
  while (made < 2000) await (await rpc.post('one')).text()
  t.is(made, 2000)
})

test('bytes that are all there arrive as they are, whatever their size and number', async t => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
  const lists: readonly Buffer[][] = [
    [],
    [Buffer.alloc(0)],
    [every],
    [every, Buffer.alloc(0), every],
    [Buffer.alloc(16 * 1024, 200)],
    [Buffer.alloc(16 * 1024 + 1, 200)],
    [Buffer.alloc(8 * 1024, 1), Buffer.alloc(100_000, 255)]
  ]
  const listed = command.read('listed', {
    help: 'x',
    options: { n: p.int('x').default(0) },
    reply: bytes(),
    run: (_, { options }) => ({ bytes: lists[Number(options.n)]! })
  })
  const rpc = await openTestRpc(t, { commands: [listed] })
  for (const [n, list] of lists.entries()) {
    const response = await rpc.post(`listed?n=${n}`)
    t.is(response.status, 200)
    t.is(response.headers.get('transfer-encoding'), 'chunked')
    t.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.concat(list))
  }
})
