/**
 * A node for the replayer, behind a door that answers a request for text with what the command line prints for the same words. Reads
 * REPO, RPC_PORT and SCENARIO_CONFIG as `test/conformance/start` does, and adds a line to the file DOOR_LOG for each command line it ran.
 */
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OptionTable } from '../../../../core/binding/options.ts'
import { decodeUtf8 } from '../../../../core/go/utf8.ts'
import { readAddressFile } from '../../../../core/repo/layout.ts'
import { printable } from '../../../../host/printable.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { printedCommands } from './printed.ts'

/** The advice of a collection, which HTTP has in a field beside the text. */
const ADVICE = ': nothing was removed, as below what is missing'

const { REPO = '', RPC_PORT = '', DOOR_LOG = '' } = process.env
const commands = await printedCommands()

/** What counts on one line: a terminal has a bar for that. */
const COUNTED = /[^\r\n]*\r/g

const inner = await freePort()
process.env['RPC_PORT'] = String(inner)
const door = http.createServer((request, response) => {
  answer(request, response).catch(error => {
    response.statusCode = 599
    response.end(String(error))
  })
})
door.listen(Number(RPC_PORT), '127.0.0.1')
await import(new URL('../../../../../test/conformance/start.mjs', import.meta.url).href)
door.close()
door.closeAllConnections()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://door')
  const path = url.pathname.slice('/api/v0/'.length)
  const isText = [...url.searchParams].some(([name, value]) => (name === 'encoding' || name === 'enc') && value === 'text')
  if (!isText || !commands.has(path)) return forward(request, response)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-door-'))
  try {
    const { files, stdin } = await parts(request, commands.get(path)!.body !== undefined, folder)
    const options = [...url.searchParams].filter(([name]) => !['arg', 'encoding', 'enc'].includes(name))
    const table = new OptionTable(commands.get(path)!.options)
    const isSwitch = (name: string) => table.find(name)?.spec.wire === 'bool'
    const dashed = options.map(
      ([name, value]) => `${name.length > 1 ? '--' : '-'}${name}${value === '' && isSwitch(name) ? '' : `=${value}`}`
    )
    const address = (await readAddressFile(REPO, 'api'))!.address
    const args = ['--api', address, ...path.split('/'), ...dashed, '--', ...url.searchParams.getAll('arg'), ...files]
    const { code, bytes, err } = await commandLine(args, { cwd: folder, stdin })
    appendFileSync(DOOR_LOG, `${path}\n`)
    const { access, reply } = commands.get(path)!
    if (access === 'read') {
      const shown = await commandLine(args, { cwd: folder, stdin, tty: { stdout: true } })
      const content = reply.kind === 'bytes' && !reply.text
      const wanted = content ? bytes : Buffer.from(printable(decodeUtf8(bytes).replace(COUNTED, '')))
      if (!wanted.equals(shown.bytes) && linesIn(wanted) !== linesIn(shown.bytes))
        throw new Error(`a terminal shows ${JSON.stringify(shown.out)} of ${path}, not ${JSON.stringify(wanted.toString())}`)
    }
    const told = err
      .replace(/^Error: /, '')
      .split('\nSee: ')[0]!
      .split(ADVICE)[0]!
      .replace(/\n$/, '')
    response.statusCode = code === 0 || bytes.length > 0 ? 200 : code === 2 ? 400 : 500
    response.end(response.statusCode === 200 ? bytes : told)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Text in which line ends and tabs of names, which a terminal is shown escaped, are as they are. */
function linesIn(bytes: Buffer): string {
  return bytes.toString().replaceAll('\\x0a', '\n').replaceAll('\\x09', '\t')
}

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  const onward = http.request({ host: '127.0.0.1', port: inner, method, path: url, headers, agent: false }, answer => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.on('end', () => response.addTrailers(answer.trailers as Record<string, string>))
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

/** The parts of an upload: as files with their names, or the first one as lines of standard input. */
async function parts(request: IncomingMessage, asFiles: boolean, folder: string): Promise<{ files: string[]; stdin: Buffer }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const whole = Buffer.concat(chunks).toString('latin1')
  const boundary = /boundary=(\S+)/.exec(request.headers['content-type'] ?? '')?.[1]
  const texts = boundary === undefined ? [] : whole.split(`--${boundary}`).slice(1, -1)
  const contents = texts.map(text => Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4, -2), 'latin1'))
  if (!asFiles) return { files: [], stdin: contents[0] ?? Buffer.alloc(0) }
  const files: string[] = []
  for (const [i, content] of contents.entries()) {
    files.push(`part-${String(i).padStart(3, '0')}`)
    await writeFile(join(folder, files[i]!), content)
  }
  return { files, stdin: Buffer.alloc(0) }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
