/** Which of a request's faults is told first, and methods. */
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { MOST_TUNNELS } from '../../../../host/http/tunnel.ts'
import { content, MISSING } from './content.ts'
import { asked, hold, onHost, type Row } from './table.ts'

const ALLOW = 'GET, HEAD, OPTIONS'
const PEER = '12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK'
const WORKER = { 'service-worker': 'script' }

const ROWS: readonly Row[] = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].map(
    (method): Row => ({
      title: `${method} is refused`,
      method,
      path: '/ipfs/{A}',
      status: 405,
      fields: { allow: ALLOW, 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' },
      text: `Method ${method} not allowed: read only access\n`
    })
  ),
  { title: 'a refused method is told before what the path says', method: 'POST', path: '/ipfs/nope', status: 405 },
  {
    title: 'it is text for a browser, too',
    method: 'POST',
    path: '/ipfs/{A}',
    headers: { accept: 'text/html' },
    status: 405,
    text: /^Method POST/
  },
  {
    title: 'OPTIONS says the methods, under any namespace',
    method: 'OPTIONS',
    path: '/ipns/example.com/x',
    status: 200,
    text: '',
    fields: { allow: ALLOW, 'content-length': '0', 'access-control-allow-methods': ALLOW, 'access-control-max-age': undefined }
  },
  {
    title: 'OPTIONS of a path is sent on to the host that it has, as a GET is',
    method: 'OPTIONS',
    host: 'localhost:8080',
    path: '/ipfs/{A}',
    status: 301,
    text: '',
    fields: { location: 'http://{A}.ipfs.localhost:8080/', 'access-control-allow-origin': '*' }
  },
  {
    title: 'OPTIONS of the server itself, not of a path',
    method: 'OPTIONS',
    path: '*',
    status: 200,
    text: '',
    fields: { 'content-length': '0', location: undefined }
  },
  { title: 'nothing else is asked of the server itself', path: '*', status: 400, fields: { location: undefined } },
  {
    title: 'HEAD has the fields of GET',
    method: 'HEAD',
    path: '/ipfs/{A}',
    status: 200,
    text: '',
    fields: { 'content-length': '14', etag: '"{A}"' }
  },
  {
    title: 'HEAD of an error has its fields alone',
    method: 'HEAD',
    path: '/ipfs/nope',
    status: 400,
    text: '',
    fields: { 'content-type': 'text/plain; charset=utf-8' }
  },
  onHost('a target that names a host stands for it', 'elsewhere.example', 'http://{SITE}.ipfs.localhost/a.txt', 200, 'hello gateway\n'),

  { title: '?uri comes before the host', host: 'localhost', path: '/ipfs/{A}?uri=ipns://x', status: 301, fields: { location: '/ipns/x' } },
  asked('a service worker is refused before a name is sent on', `/ipns/${PEER}`, WORKER, 400, { text: /^navigator.serviceWorker: / }),
  asked('and before a namespace too many', '/ipfs/ipfs', WORKER, 400, { text: /^navigator.serviceWorker: / }),
  asked('a name is sent on before anybody looks for it in the store', `/ipns/${PEER}`, { 'cache-control': 'only-if-cached' }, 302),
  asked('a bad path is told before only-if-cached', '/ipfs/nope', { 'cache-control': 'only-if-cached' }, 400),
  asked(
    'only-if-cached is told before a bad Accept',
    `/ipfs/${MISSING}`,
    { 'cache-control': 'only-if-cached', accept: 'application/json;=' },
    412
  ),
  asked('a bad Accept is told before the path is followed', `/ipfs/${MISSING}`, { accept: 'application/json;=' }, 400, {
    fields: { 'x-ipfs-path': undefined }
  }),
  {
    title: 'a record of what is no name is refused before the path is followed',
    path: `/ipfs/${MISSING}/a?format=ipns-record`,
    status: 400,
    text: '/ipfs/{MISSING}/a is not an IPNS link\n'
  },
  asked(
    'the version of a CAR is refused before If-None-Match is looked at',
    '/ipfs/{A}?format=car&car-version=2',
    { 'if-none-match': '*' },
    400
  ),
  asked('If-None-Match is looked at before ranges', '/ipfs/{A}', { 'if-none-match': '*', range: 'bytes=99-' }, 304)
]

hold('requests', content, ROWS)

test('CONNECT opens a tunnel to the gateway itself: requests that come through it are answered, and only so many lie in each other', async t => {
  const { at, names } = await content(t)
  const socket = connect(at.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', piece => {
    text += piece
  })
  const until = async (pattern: RegExp) => {
    for (let i = 0; !pattern.test(text) && i < 500; i++) await new Promise(resolve => setTimeout(resolve, 10))
    t.regex(text, pattern)
    text = ''
  }
  for (let i = 0; i < 20; i++) {
    socket.write('CONNECT example.com:80 HTTP/1.1\r\nHost: example.com\r\n\r\n')
    await until(/^HTTP\/1\.1 200 [^\r]*\r\n[\s\S]*\r\n\r\n$/)
  }
  socket.write(`GET /a.txt HTTP/1.1\r\nHost: ${names['SITE']}.ipfs.localhost\r\n\r\n`)
  await until(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhello gateway\n$/)
  // sent without waiting for answers
  socket.write('CONNECT example.com:80 HTTP/1.1\r\nHost: example.com\r\n\r\n'.repeat(100))
  await once(socket, 'end')
  t.is(text.split('200 OK').length - 1, MOST_TUNNELS - 20)
  t.regex(text, /HTTP\/1\.1 405 Method Not Allowed\r\n[\s\S]*\r\n\r\n$/)
})
