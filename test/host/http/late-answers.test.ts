import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { answering, serveRoutes } from './support/serve.ts'

const FILE = 'package.json'

test('an answer may come after its handler has returned: from a file that is piped, or from a timer', async t => {
  const piped = answering('/piped', { handle: (_, __, response) => void createReadStream(FILE).pipe(response) })
  const timed = answering('/timed', { handle: (_, __, response) => void setTimeout(() => response.end('in time'), 20) })
  const settled = answering('/settled', {
    handle: async (_, __, response) => {
      setTimeout(() => response.end('behind the promise'), 20)
    }
  })
  const { ask } = await serveRoutes(t, [piped, timed, settled])
  t.like(await ask('GET', '/piped'), { status: 200, text: await readFile(FILE, 'utf8') })
  t.like(await ask('GET', '/timed'), { status: 200, text: 'in time' })
  t.like(await ask('GET', '/settled'), { status: 200, text: 'behind the promise' })
})

test('the head of an answer can be chained, as Node.js has it', async t => {
  const chained = answering('/chained', { handle: (_, __, response) => void response.writeHead(201, { 'X-Is': 'chained' }).end('yes') })
  const { ask } = await serveRoutes(t, [chained])
  t.like(await ask('GET', '/chained'), { status: 201, text: 'yes' })
})
