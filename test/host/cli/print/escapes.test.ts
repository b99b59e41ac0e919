/** What a terminal is sent of names and messages from elsewhere. */
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { Command } from '../../../../core/index.ts'
import { Output } from '../../../../host/cli/print/output.ts'
import { Bar } from '../../../../host/cli/print/progress.ts'
import { declaredCommands } from '../../../helpers/declared.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { concrete, conversations } from '../../../helpers/recorded.ts'

/** What would set a title, move the cursor, turn the text around, ring, and pass for lines of this program. */
const HOSTILE = '\x1b]0;owned\x07\x1b[2J\u009b31m\u0085\x7f\u202e\u2066\ufeff\x08\r\nError: forged\nmore\tX'
const HARMLESS = 'Y'
const keeper = fileURLToPath(new URL('../support/keeper.js', import.meta.url))
const ON_TERMINAL = { stdout: true, stderr: true }

/** Controls, C1 and DEL among them, and marks of writing direction: nothing of that may reach a terminal, but line ends and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

/** What is drawn by this program itself: the bar, and the line it leaves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const withoutBars = (text: string) => text.replaceAll(/\r(?:[\x20-\x7e]*)\x1b\[K/g, '')

/** A node that answers whatever is asked what was last put into it. */
async function nodeThatSays(t: ExecutionContext) {
  const answer = { status: 200, body: '', headers: {} as Record<string, string>, trailer: '' }
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      if (answer.trailer !== '') response.setHeader('Trailer', 'X-Stream-Error')
      response.writeHead(answer.status, answer.headers)
      response.write(answer.body)
      if (answer.trailer !== '') response.addTrailers({ 'X-Stream-Error': answer.trailer })
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { api: `http://127.0.0.1:${(server.address() as { port: number }).port}`, answer }
}

const suffixed = (value: unknown, suffix: string): unknown => {
  if (typeof value === 'string') return value === '' ? value : `${value}${suffix}`
  if (Array.isArray(value)) return value.map(one => suffixed(one, suffix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, suffixed(of, suffix)]))
}

const ndjson = (items: readonly unknown[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')

/** The command line of a recorded request. */
function argvOf(command: Command, query: ReadonlyArray<readonly [string, string]>): string[] {
  const options = query.filter(([name]) => !['arg', 'encoding', 'enc', 'stream-channels'].includes(name))
  const dashed = options.map(([name, value]) => `${name.length > 1 ? '--' : '-'}${name}${value === '' ? '' : `=${value}`}`)
  return [...command.path.split('/'), ...dashed, '--', ...query.filter(([name]) => name === 'arg').map(([, value]) => value)]
}

test('no string of any answer acts on a terminal or makes a line of its own, whatever the command', async t => {
  const commands = new Map((await declaredCommands()).map(command => [command.path, command]))
  const { api, answer } = await nodeThatSays(t)
  const ways = new Set<string>()
  const shown = new Set<string>()
  for (const { path, step } of await conversations(of => commands.has(of))) {
    const command = commands.get(path)!
    const { status, json } = step.response
    const { query = [] } = step
    const way = `${path}?${query.map(([name]) => name).sort()}`
    if (status !== 200 || json === undefined || command.reply.kind === 'bytes' || command.local || ways.has(way)) continue
    if (query.some(([name]) => ['encoding', 'enc', 'timeout'].includes(name))) continue
    ways.add(way)
    const items = concrete(json) as unknown[]
    const show = async (suffix: string) => {
      answer.body = ndjson(suffixed(items, suffix) as unknown[])
      return commandLine(['--api', api, ...argvOf(command, query)], { cwd: '/', tty: ON_TERMINAL })
    }
    const [plain, harmless, hostile] = [await show(''), await show(HARMLESS), await show(HOSTILE)]
    if (plain.code === 2) continue
    const lines = (text: string) => text.split('\n').length
    t.notRegex(hostile.out, ACTING, way)
    t.notRegex(withoutBars(hostile.err), ACTING, way)
    t.is(hostile.code, harmless.code, `${way}: ${hostile.err}`)
    // log/level means the lines of its message
    if (path !== 'log/level') t.is(lines(hostile.out), lines(harmless.out), `${way}: ${hostile.out}`)
    t.notRegex(withoutBars(hostile.err), /^(Error: forged|more)/m, `${way}: ${hostile.err}`)
    if (hostile.out.includes('forged')) shown.add(path)
  }
  t.true(shown.size > 15, [...shown].join(' '))
  for (const path of ['ls', 'add', 'refs', 'resolve', 'pin/ls', 'pin/verify', 'id', 'version']) t.true(shown.has(path), path)
})

test('a name with a control, a line end or a mark of direction is shown escaped, and goes out as it is where there is no terminal', async t => {
  const { api, answer } = await nodeThatSays(t)
  const Name = 'a\x1b[2J\u009b\u202e\n\tb'
  const cases: ReadonlyArray<readonly [argv: readonly string[], item: unknown, plain: string, shown: string]> = [
    [['refs', '--format=<linkname>', 'x'], { Ref: Name, Err: '' }, `${Name}\n`, 'a\\x1b[2J\\u009b\\u202e\\x0a\\x09b\n'],
    [
      ['pin', 'ls', '--names'],
      { Keys: { Qm: { Type: 'recursive', Name } } },
      `Qm recursive ${Name}\n`,
      'Qm recursive a\\x1b[2J\\u009b\\u202e\\x0a\\x09b\n'
    ],
    [['resolve', 'x'], { Path: `/ipfs/${Name}` }, `/ipfs/${Name}\n`, '/ipfs/a\\x1b[2J\\u009b\\u202e\\x0a\\x09b\n'],
    [['id', '--format=<aver>\n'], { AgentVersion: Name }, `${Name}\n`, 'a\\x1b[2J\\u009b\\u202e\n\\x09b\n']
  ]
  for (const [argv, item, plain, shown] of cases) {
    answer.body = argv[0] === 'id' ? ndjson([{ ID: '', PublicKey: '', Addresses: [], Protocols: [], ...(item as object) }]) : ndjson([item])
    const onTerminal = await commandLine(['--api', api, ...argv], { tty: ON_TERMINAL })
    t.is(withoutBars(onTerminal.out), shown, argv.join(' '))
    // the text is the node's own then
    answer.body = plain
    const piped = await commandLine(['--api', api, ...argv], { tty: { stderr: false } })
    t.is(piped.out, plain, argv.join(' '))
  }
})

test('names that ls and add quote themselves are escaped once', async t => {
  const { api, answer } = await nodeThatSays(t)
  answer.body = ndjson([{ Objects: [{ Hash: 'Qm', Links: [{ Name: 'a\n\\\x1b', Hash: 'Qx', Size: 1, Type: 2, Target: '' }] }] }])
  t.is((await commandLine(['--api', api, 'ls', 'x'], { tty: ON_TERMINAL })).out, 'Qx 1 a\\n\\\\\\x1b\n')
  answer.body = ndjson([{ Name: 'a\n\\\x1b', Hash: 'Qm', Size: '1' }])
  t.is((await commandLine(['--api', api, 'add', '-'], { stdin: 'x', tty: ON_TERMINAL })).out, 'added Qm a\\n\\\\\\x1b\n')
})

test('line ends and tabs of a format that the person wrote stay', async t => {
  const { api, answer } = await nodeThatSays(t)
  answer.body = ndjson([{ Ref: 'Qa\tb\nc', Err: '' }])
  const { out } = await commandLine(['--api', api, 'refs', '--format=<src>\t<linkname>', 'x'], { tty: ON_TERMINAL })
  t.is(out, 'Qa\tb\\x0ac\n')
})

test('what a node says of an error does not act on a terminal, and none of its lines passes for one of this program', async t => {
  const { api, answer } = await nodeThatSays(t)
  const says = async (status: number, body: string, trailer = '') => {
    Object.assign(answer, { status, body, trailer })
    return commandLine(['--api', api, 'cat', 'x'], { tty: { stderr: true } })
  }
  const Message = 'no \x1b[2Jsuch\u009b thing\u202e\nError: forged\nRun: holdfast init'
  const shown = 'Error: no \\x1b[2Jsuch\\u009b thing\\u202e\n  Error: forged\n  Run: holdfast init\n'
  t.is((await says(500, JSON.stringify({ Message, Code: 0, Type: 'error' }))).err, shown)
  t.is((await says(500, Message)).err, shown)
  const late = await says(200, 'some', Buffer.from('late \u009b2J', 'utf8').toString('latin1'))
  t.is(withoutBars(late.err), 'Error: late \\u009b2J\n')
  Object.assign(answer, { status: 500, body: Message, trailer: '' })
  t.is((await commandLine(['--api', api, 'cat', 'x'])).err, `Error: ${Message}\n`, 'to the byte where there is no terminal')
  Object.assign(answer, { status: 200, body: `{"a":\x1b[2J\n` })
  t.notRegex((await commandLine(['--api', api, 'resolve', 'x'], { tty: ON_TERMINAL })).err, ACTING)
})

test('failures of single things stay on their lines', async t => {
  const { api, answer } = await nodeThatSays(t)
  answer.body = ndjson([{ Hash: 'Qm\x1b[2J', Error: 'gone\nremoved Qx' }])
  const { out, err } = await commandLine(['--api', api, 'block', 'rm', 'Qm'], { tty: ON_TERMINAL })
  t.is(out, '')
  t.is(err, 'cannot remove Qm\\x1b[2J: gone\\nremoved Qx\nError: some blocks not removed\n')
})

test('JSON and XML of a node are shown escaped, JSON as the same JSON; octets of content are left as they are', async t => {
  const { api, answer } = await nodeThatSays(t)
  const item = { Path: '/ipfs/\u009b31m\u202e\x7f\u{e0041}', Other: 'a\x1b\n' }
  answer.body = ndjson([item])
  const json = await commandLine(['--api', api, 'resolve', 'x', '--encoding=json'], { tty: ON_TERMINAL })
  t.notRegex(json.out, ACTING)
  t.deepEqual(JSON.parse(json.out), item)
  const got = await commandLine(['--api', api, 'dag', 'get', 'x'], { tty: ON_TERMINAL })
  t.deepEqual(JSON.parse(got.out), item)
  t.is(got.out, json.out)
  t.is((await commandLine(['--api', api, 'dag', 'get', 'x'])).out, answer.body)
  answer.body = '<Path>\u009b\x1b</Path>'
  t.is((await commandLine(['--api', api, 'resolve', 'x', '--encoding=xml'], { tty: ON_TERMINAL })).out, '<Path>\\u009b\\x1b</Path>')
  answer.body = '\x1b[31mred\u009b\x00'
  for (const argv of [
    ['cat', 'x'],
    ['block', 'get', 'x'],
    ['dag', 'export', 'x'],
    ['get', '-o', '-', 'x']
  ])
    t.is(withoutBars((await commandLine(['--api', api, ...argv], { tty: { stdout: true } })).out), answer.body, argv.join(' '))
})

test('a character whose bytes come apart is put together before it is looked at', async t => {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      const bytes = Buffer.from('"é\u009b→"')
      const send = (at: number): void => {
        if (at < bytes.length) response.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1))
        else response.end()
      }
      send(0)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const api = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  t.is((await commandLine(['--api', api, 'dag', 'get', 'x'], { tty: ON_TERMINAL })).out, '"é\\u009b→"')
})

test('what get says, what plugins are called, and words that are not understood are shown escaped', async t => {
  const { api, answer } = await nodeThatSays(t)
  answer.status = 500
  const saved = await commandLine(['--api', api, 'get', '-o', 'a\x1b[2J\nError: b', 'x'], { tty: ON_TERMINAL })
  t.is(saved.code, 1)
  t.notRegex(saved.out, ACTING)
  answer.status = 200
  const state = { state: 'loaded', status: 'regular', from: 'built-in', about: 'x\x1b]0;y\x07', commands: ['a\nb'], services: [] }
  answer.body = JSON.stringify([{ name: 'evil\u202e\nhost  loaded', ...state }])
  const { out } = await commandLine(['--api', api, 'plugins'], { tty: ON_TERMINAL })
  t.is(out, 'evil\\u202e\\x0ahost  loaded  loaded  (regular)  x\\x1b]0;y\\a\n  commands: a\\x0ab\n')
  const { err } = await commandLine(['--api', api, 'p\x1b[2Jn\nError: x'], { tty: ON_TERMINAL })
  t.notRegex(err, ACTING)
  t.notRegex(err.replace(/^Error: /, ''), /^Error: /m)
})

test("a third party's help, and what doctor and plugin check find, are shown escaped", async t => {
  const cwd = await temporaryFolder(t)
  const file = join(cwd, 'node.json')
  await writeFile(file, JSON.stringify({ plugins: { [keeper]: 'on' } }))
  const shown = async (...argv: readonly string[]) => {
    const { out, err } = await commandLine(argv, { cwd, tty: ON_TERMINAL })
    t.notRegex(out + err, ACTING, argv.join(' '))
    return out + err
  }
  t.regex(await shown('--config', file, 'keeper', 'open', '--help'), /\\x1b\[2J/)
  await writeFile(file, JSON.stringify({ plugins: { 'x\x1b[2J\u009b': 5 } }))
  t.regex(await shown('--config', file, '--repo', join(cwd, 'none'), 'doctor'), /WRONG +configuration .*x\\x1b\[2J\\u009b/)
  t.regex(await shown('plugin', 'check', 'x\x1b[2J'), /there is nothing at .*x\\x1b\[2J/)
})

test('a bar draws its line and nothing that an answer could draw with', async t => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const bar = new Bar({ stderr: new Output(stream) })
  bar.report(1, undefined, 'nodes\x1b[2J\u009b\n\t')
  bar.end()
  t.is(String(stream.read()), '\r1 nodes\\x1b[2J\\u009b\\n\\t\x1b[K\r\x1b[K')
})
