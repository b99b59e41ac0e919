import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { launchDaemon } from '../../helpers/process/daemon.ts'
import { openNode } from './rpc.ts'

const decoder = new TextDecoder()

test('log/tail sends what is written while it runs, and ends with its caller', async t => {
  const { host, post } = await openNode(t)
  const controller = new AbortController()
  const response = await post('log/tail', { signal: controller.signal })
  t.is(response.headers.get('content-type'), 'text/plain')
  const reader = response.body!.getReader()
  for (const n of [1, 2]) {
    host.logs.get('pins').error({ n }, 'something')
    t.like(JSON.parse(decoder.decode((await reader.read()).value)), { n, subsystem: 'pins', msg: 'something' })
  }
  controller.abort()
  await t.throwsAsync(reader.read())
  for (;;) {
    const calls = (await host.call('diag/cmds')) as Array<{ Command: string; Active: boolean }>
    if (calls.every(({ Command, Active }) => Command !== 'log/tail' || !Active)) break
    await new Promise(resolve => setImmediate(resolve))
  }
  t.pass()
})

test('log/tail ends well with its time, and with the node', async t => {
  const { host, post } = await openNode(t)
  t.is(await (await post('log/tail?timeout=50ms')).text(), '')
  const response = await post('log/tail')
  const text = response.text()
  t.deepEqual(await host.stop(), [])
  t.is(await text, '')
})

test('log/level holds the level before the subsystem, and sets it', async t => {
  const { host } = await openNode(t)
  const set = (...args: string[]) => host.call('log/level', { args })
  await t.throwsAsync(set('nosuchthing', 'loud'), { message: 'unrecognized level: "loud"', code: 'E_LOG_LEVEL' })
  await t.throwsAsync(set('nosuchthing', 'info'), { message: 'error: No such logger', code: 'E_LOG_SUBSYSTEM' })
  t.deepEqual(await set('all', 'Dpanic'), { Message: "Changed log level of '*' to 'Dpanic'\n" })
  const tail = host.logs.tail()[Symbol.asyncIterator]()
  host.logs.get('pins').error('silenced')
  t.deepEqual(await set('pin', 'warn'), { Message: "Changed log level of 'pin' to 'warn'\n" })
  host.logs.get('dag').warn('silenced')
  host.logs.get('pins').warn('heard')
  t.is(JSON.parse((await tail.next()).value).msg, 'heard')
  await tail.return?.()
  const { Strings } = (await host.call('log/ls')) as { Strings: string[] }
  for (const name of ['pins', 'dag', 'core']) t.true(Strings.includes(name))
})

test('a daemon takes its log’s level, form and place from the environment, and says what it does not understand', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'node.log')
  const env = { GOLOG_FILE: file, GOLOG_LOG_FMT: 'nocolor', GOLOG_LOG_LEVEL: 'error,host=loud' }
  const node = await launchDaemon(join(folder, 'repo'), { env }).ready
  const ls = fetch(`${node.url}/api/v0/log/ls`, { method: 'POST' })
  t.true(((await (await ls).json()) as { Strings: string[] }).Strings.includes('host'))
  t.is(await node.stop(), 0)
  t.regex(node.output(), /GOLOG_LOG_LEVEL: unrecognized level: "loud"/)
  t.is(await readFile(file, 'utf8'), '')
})

test('a level of the environment that names no subsystem is that of all of them, unless the daemon is given one', async t => {
  const folder = await temporaryFolder(t)
  const logged = async (name: string, args: readonly string[]) => {
    const file = join(folder, name)
    const env = { GOLOG_FILE: file, GOLOG_LOG_LEVEL: 'debug' }
    const node = await launchDaemon(join(folder, 'repo'), { env, args }).ready
    t.is((await fetch(`${node.url}/api/v0/repo/gc`, { method: 'POST' })).status, 200)
    t.is(await node.stop(), 0)
    return readFile(file, 'utf8')
  }
  t.regex(await logged('all', []), /"level":30,.*blocks that nothing keeps were removed/)
  t.is(await logged('none', ['--log-level', 'error']), '')
})
