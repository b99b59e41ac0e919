/** `holdfast mcp`: alone on a repo, and beside the node that holds it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { bin, startDaemon } from '../../helpers/process/daemon.ts'
import { call, textsOf } from './world.ts'

interface Place {
  readonly repo: string
  /** The words of the program. */
  readonly args: readonly string[]
}

/** A configuration with the plugin on, and a repo, not made yet. */
async function place(t: ExecutionContext, settings: object = {}): Promise<Place> {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const config = join(folder, 'holdfast.config.json')
  await writeFile(config, JSON.stringify({ repo, plugins: { mcp: { port: 0, ...settings } } }))
  return { repo, args: ['--config', config, 'mcp'] }
}

async function madePlace(t: ExecutionContext, settings: object = {}): Promise<Place> {
  const made = await place(t, settings)
  t.is((await commandLine(['--repo', made.repo, 'init'])).code, 0)
  return made
}

async function connect(t: ExecutionContext, { args }: Place): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...args],
    env: process.env as Record<string, string>,
    stderr: 'inherit'
  })
  const client = new Client({ name: 'witness', version: '1.2.3' })
  await client.connect(transport)
  t.teardown(() => client.close())
  return client
}

interface Started {
  readonly child: ChildProcess
  out(): string
  err(): string
  readonly ended: Promise<number | null>
}

function start({ args }: Place): Started {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', data => (out += data))
  child.stderr.on('data', data => (err += data))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => out, err: () => err, ended }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hand', version: '0' } }
}

test.serial('alone on a repo, tools are listed, files stored and read, and errors told', async t => {
  const client = await connect(t, await madePlace(t, { commands: ['add'] }))
  t.true((await client.listTools()).tools.some(({ name }) => name === 'add'))
  const [line] = textsOf(await call(client, 'add', { files: [{ text: 'over a pipe' }] }))
  const { Hash } = JSON.parse(line!)
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [Hash] })), ['over a pipe'])
  const missing = await call(client, 'block_stat', { cid: 'Qmbad' })
  t.true(missing.isError)
})

test.serial('beside a node that holds the repo, calls are made by that node', async t => {
  const made = await madePlace(t, { commands: ['add', 'repo/gc'] })
  const daemon = await startDaemon(made.repo)
  t.teardown(() => daemon.kill())
  const client = await connect(t, made)
  const added = textsOf(await call(client, 'add', { files: [{ path: 'a', text: 'for the daemon' }], pin: false }))
  const { Hash } = JSON.parse(added[0]!)
  const cat = await fetch(`${daemon.url}/api/v0/cat?arg=${Hash}`, { method: 'POST' })
  t.is(await cat.text(), 'for the daemon')
  const { structuredContent } = await call(client, 'repo_stat', {})
  t.like(structuredContent, { RepoPath: made.repo })
  const active = (await (await fetch(`${daemon.url}/api/v0/diag/cmds`, { method: 'POST' })).json()) as ReadonlyArray<{ Command: string }>
  t.true(active.some(({ Command }) => Command === 'repo/stat'))
  const refused = await call(client, 'cat', { ipfsPath: ['/ipfs/QmNotThere'] })
  t.true(refused.isError)
})

test.serial('answers beside a node are those that the node itself gives', async t => {
  const made = await madePlace(t, { access: 'write' })
  const daemon = await startDaemon(made.repo, [], made.args.slice(0, 2))
  t.teardown(() => daemon.kill())
  const url = /Listener 'mcp' of plugin 'mcp' listening on (\S+)/.exec(daemon.output())![1]
  const there = new Client({ name: 'witness', version: '1.2.3' })
  await there.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  t.teardown(() => there.close())
  const beside = await connect(t, made)
  t.deepEqual(await beside.listTools(), await there.listTools())
  const files = [
    { path: 'site/a.txt', text: 'a' },
    { path: 'site/b.bin', base64: 'AP8=' }
  ]
  const root = JSON.parse(
    textsOf(await call(there, 'add', { files }))[0]!
      .split('\n')
      .at(-1)!
  ).Hash as string
  for (const [name, input] of [
    ['ls', { ipfsPath: [root] }],
    ['ls', { ipfsPath: [root], stream: true }],
    ['cat', { ipfsPath: [`/ipfs/${root}/b.bin`] }],
    ['dag_get', { ref: root }],
    ['dag_export', { root }],
    ['dag_stat', { root: [root] }],
    ['pin_ls', { type: 'recursive' }],
    ['pin_ls', { stream: true }],
    ['refs', { ipfsPath: [root], recursive: true }],
    ['block_stat', { cid: root }],
    ['cid_format', { cid: [root], v: '1' }],
    ['resolve', { name: `/ipfs/${root}/a.txt` }],
    ['cat', { ipfsPath: [root] }],
    ['pin_rm', { ipfsPath: [`/ipfs/${root}/a.txt`] }]
  ] as const) {
    const [one, other] = [await call(beside, name, input), await call(there, name, input)]
    t.deepEqual(one.content.map(withoutCode), other.content.map(withoutCode), name)
    if (!one.isError) t.deepEqual(one.structuredContent, other.structuredContent, name)
  }
})

/** A node's error codes do not travel over its RPC. */
function withoutCode(part: CallToolResult['content'][number]): object {
  return part.type === 'text' ? { text: part.text.replace(/ \(E_[A-Z_]+\)$/, '') } : part
}

test.serial('a node that holds the repo is asked for no more than the settings admit', async t => {
  const made = await madePlace(t)
  const daemon = await startDaemon(made.repo)
  t.teardown(() => daemon.kill())
  const client = await connect(t, made)
  await t.throwsAsync(call(client, 'add', { files: [{ text: 'x' }] }), { message: /not offered: it takes the access 'write'/ })
})

test.serial('a call that is cancelled beside a node ends there', async t => {
  const made = await madePlace(t, { commands: ['log/tail'] })
  const daemon = await startDaemon(made.repo)
  t.teardown(() => daemon.kill())
  const client = await connect(t, made)
  const controller = new AbortController()
  const tail = client.callTool({ name: 'log_tail' }, undefined, { signal: controller.signal })
  const active = async () => {
    const all = (await (await fetch(`${daemon.url}/api/v0/diag/cmds`, { method: 'POST' })).json()) as Array<Record<string, unknown>>
    return all.filter(({ Command, Active }) => Command === 'log/tail' && Active === true).length
  }
  for (let i = 0; i < 100 && (await active()) === 0; i++) await new Promise(resolve => setTimeout(resolve, 20))
  t.is(await active(), 1)
  controller.abort('enough')
  await t.throwsAsync(tail)
  for (let i = 0; i < 50 && (await active()) > 0; i++) await new Promise(resolve => setTimeout(resolve, 20))
  t.is(await active(), 0)
})

test.serial('it ends well when its input does, and has answered what was asked', async t => {
  const { child, out, err, ended } = start(await madePlace(t, { commands: ['diag/profile'] }))
  const slow = { name: 'diag_profile', arguments: { collectors: ['cpu'], 'profile-time': '300ms' } }
  child.stdin!.end(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: slow })}\n`)
  t.is(await ended, 0, err())
  const ids = out()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).id)
  t.deepEqual(ids, [1, 2])
  t.is(err(), '')
})

test.serial('it ends well when it is told to', async t => {
  const { child, out, err, ended } = start(await madePlace(t))
  child.stdin!.write(`${JSON.stringify(INITIALIZE)}\n`)
  await once(child.stdout!, 'data')
  child.kill('SIGTERM')
  t.is(await ended, 0, err())
  t.is(out().trim().split('\n').length, 1)
})

test.serial('a line that is no message is answered, and the next is served', async t => {
  const { child, out, ended } = start(await madePlace(t))
  child.stdin!.end(`what?\n{"jsonrpc":"1.0"}\n${JSON.stringify(INITIALIZE)}\n`)
  t.is(await ended, 0)
  const answers = out()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.deepEqual(
    answers.map(({ error, id }) => error?.code ?? id),
    [-32700, -32700, 1]
  )
})

test.serial('a message without end is not gathered', async t => {
  const { child, err, ended } = start(await madePlace(t, { limits: { inputBytes: 1000 } }))
  child.stdin!.on('error', () => {})
  child.stdin!.write('x'.repeat(2_000_000))
  t.is(await ended, 1)
  t.regex(err(), /a message is longer than 1049912 bytes/)
})

test.serial('a second one on the same repo says what holds it', async t => {
  const made = await madePlace(t)
  await connect(t, made)
  const { child, err, ended } = start(made)
  child.stdin!.end()
  t.is(await ended, 1)
  t.regex(err(), /someone else has the lock: process \d+ works on this repo/)
})

test.serial('without a repo it says so, and serves nothing', async t => {
  const { child, out, err, ended } = start(await place(t))
  child.stdin!.end(`${JSON.stringify(INITIALIZE)}\n`)
  t.is(await ended, 1)
  t.is(out(), '')
  t.regex(err(), /init/)
})

test.serial('with the plugin off it says which setting turns it on', async t => {
  const { repo } = await madePlace(t)
  const { child, err, ended } = start({ repo, args: ['--repo', repo, 'mcp'] })
  child.stdin!.end()
  t.is(await ended, 1)
  t.regex(err(), /plugins: \{ mcp: on \} switches it on/)
})
