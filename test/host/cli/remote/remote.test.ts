/** What becomes of answers that are no answers, and how a caller is let in. */
import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import http, { type RequestListener } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { apiAddress } from '../../../../host/cli/remote/address.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { bin, startDaemon } from '../../../helpers/process/daemon.ts'

async function answering(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = http.createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** A server that says these bytes to whoever asks, and hangs up. */
async function saying(t: ExecutionContext, text: string): Promise<string> {
  const server = createServer((socket: Socket) => socket.once('data', () => socket.end(text, 'latin1')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Stream-Error\r\n\r\n'
const HELLO = '6\r\nhello\n\r\n'

test('an error in the trailer fails the command, behind what was printed', async t => {
  const api = await saying(t, `${CHUNKED}${HELLO}0\r\nX-Stream-Error: it br\xc3\xb6ke\r\n\r\n`)
  const { code, out, err } = await commandLine(['--api', api, 'cat', 'x'])
  t.deepEqual([code, out, err], [1, 'hello\n', 'Error: it bröke\n'])
})

test('an error in the trailer of an answer that is left without its end is told as well', async t => {
  const api = await saying(t, `${CHUNKED}${HELLO}0\r\nX-Stream-Error: gone in between\r\n`)
  const { code, out, err } = await commandLine(['--api', api, 'cat', 'x'])
  t.deepEqual([code, out, err], [1, 'hello\n', 'Error: gone in between\n'])
})

test('an answer that breaks off is an error', async t => {
  for (const text of [`${CHUNKED}${HELLO}`, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello\n']) {
    const { code, out, err } = await commandLine(['--api', await saying(t, text), 'cat', 'x'])
    t.deepEqual([code, out, err], [1, 'hello\n', 'Error: cat: the answer broke off before its end\n'])
  }
})

test('what breaks off is not stored', async t => {
  const cwd = await temporaryFolder(t)
  const { code } = await commandLine(['--api', await saying(t, `${CHUNKED}${HELLO}`), 'get', '-C', '-o', 'f', 'x'], { cwd })
  t.is(code, 1)
  t.deepEqual(await readdir(cwd), [])
})

test('errors are told as the node tells them, in whichever form', async t => {
  for (const [status, body, message] of [
    [500, '{"Message":"no such thing","Code":0,"Type":"error"}\n', 'no such thing'],
    [400, 'argument "x" is required\n', 'argument "x" is required'],
    [403, '403 - Forbidden\n', '403 - Forbidden'],
    [404, 'cat is switched off: commands: { cat: off } in x.json\n', 'cat is switched off: commands: { cat: off } in x.json'],
    [502, '', 'the node answered with status 502']
  ] as const) {
    const api = await answering(t, (_, response) => response.writeHead(status).end(body))
    const { code, err } = await commandLine(['--api', api, 'cat', 'x'])
    t.is(code, 1)
    t.is(err.split('\n')[0], `Error: ${message}`)
  }
})

test('an answer that is no JSON where JSON is due is an error', async t => {
  const api = await answering(t, (_, response) => response.end('{"Name":"a","Hash":"Qm"}\n<html>\n'))
  const { code, out, err } = await commandLine(['--api', api, 'add'], { stdin: 'x' })
  t.deepEqual([code, out], [1, 'added Qm a\n'])
  t.regex(err, /^Error: add: the answer is not what this command answers: <html>/)
})

test('a node that answers before it has taken all is listened to', async t => {
  const api = await answering(t, (request, response) => {
    request.resume()
    response.writeHead(500).end('{"Message":"too much","Code":0,"Type":"error"}')
  })
  async function* input() {
    for (let i = 0; i < 200; i++) yield Buffer.alloc(1 << 18)
  }
  const { code, err } = await commandLine(['--api', api, 'add'], { stdin: input() })
  t.is(code, 1)
  t.regex(err, /^Error: too much\n/)
})

test('options, arguments and the secret are sent as they were given, and defaults are not', async t => {
  const seen: string[] = []
  const api = await answering(t, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers.connection}`)
    response.end('{"Pins":[]}\n')
  })
  await commandLine(
    [
      '--api',
      api,
      '--api-auth',
      'basic:user:pass',
      'pin',
      'rm',
      '--no-recursive',
      '--timeout=5s',
      'a b',
      'ä&c',
      '--config',
      '/none/x.json'
    ].slice(0, -2)
  )
  await commandLine(['--api', api, '--api-auth=token', 'pin', 'rm', 'x'])
  t.deepEqual(seen, [
    `POST /api/v0/pin/rm?arg=a%20b&arg=%C3%A4%26c&recursive=false&timeout=5s&encoding=text&stream-channels=true Basic ${Buffer.from('user:pass').toString('base64')} close`,
    'POST /api/v0/pin/rm?arg=x&encoding=text&stream-channels=true Bearer token close'
  ])
})

test('an address is a multiaddr, a URL, or a host and a port', t => {
  t.like(apiAddress('/ip4/127.0.0.1/tcp/5001'), { secure: false, target: { hostname: '127.0.0.1', port: '5001' } })
  t.like(apiAddress('/ip6/::1/tcp/5001/http'), { secure: false, target: { hostname: '::1', port: '5001' } })
  t.like(apiAddress('/dns/node.example/tcp/443/https'), { secure: true, target: { hostname: 'node.example', port: '443' } })
  t.like(apiAddress('/unix/run/hold fast.sock'), { target: { socketPath: '/run/hold fast.sock' } })
  t.like(apiAddress('/unix/%2Frun%2Fx.sock'), { target: { socketPath: '/run/x.sock' } })
  t.like(apiAddress('https://node.example'), { secure: true, target: { hostname: 'node.example', port: 443 } })
  t.like(apiAddress('http://[::1]:5001/'), { target: { hostname: '::1', port: '5001' } })
  t.like(apiAddress('127.0.0.1:5001'), { target: { hostname: '127.0.0.1', port: '5001' } })
  for (const text of ['', '/ip4/127.0.0.1', '/nonsense', 'ftp://x', 'a b'])
    t.throws(() => apiAddress(text), { code: 'E_API_ADDRESS' }, text)
})

test('a node on a Unix socket is reached by the address it left', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  await daemon.stop()
  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  config.Addresses.API = `/unix${join(folder, 's.sock')}`
  config.Addresses.Gateway = []
  await writeFile(join(repo, 'config'), JSON.stringify(config))
  const child = spawn(process.execPath, [bin, '--repo', repo, 'daemon', '--offline'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise<void>(resolve => child.stdout.on('data', chunk => String(chunk).includes('Daemon is ready') && resolve()))
  t.is((await commandLine(['--repo', repo, 'version', '-n'])).out, '0.28.0\n')
})

test("a late failure of a node is told, and a caller's mistake that only the node sees", async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const { code, out, err } = await commandLine(['--repo', repo, 'block', 'put', '-', folder], { stdin: 'x' })
  t.is(code, 2, 'a folder is refused before anything is sent')
  t.is(out, '')
  t.regex(err, /does not support directories/)
  const refs = await commandLine(['--repo', repo, 'refs', 'QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB'])
  t.is(refs.code, 1)
  t.regex(
    refs.err,
    /^Error: block was not found locally \(offline\): ipld: could not find QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB\n/
  )
})

test('whole numbers of an answer are shown in full, with a text and without', async t => {
  const file = join(await temporaryFolder(t), 'node.json')
  await writeFile(file, JSON.stringify({ plugins: { [fileURLToPath(new URL('../support/keeper.js', import.meta.url))]: 'on' } }))
  const listing = '{"Objects":[{"Hash":"Qm","Links":[{"Name":"a","Hash":"Qx","Size":18446744073709551615,"Type":2,"Target":""}]}]}'
  const api = await answering(t, (request, response) =>
    response.end(request.url!.includes('/ls?') ? listing : '{"n":18446744073709551615}\n')
  )
  t.is((await commandLine(['--api', api, '--config', file, 'keeper', 'open', 'x'])).out, '{"n":18446744073709551615}\n')
  t.is((await commandLine(['--api', api, 'ls', 'x'], { tty: { stdout: true } })).out, 'Qx 18446744073709551615 a\n')
})
