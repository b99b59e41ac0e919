import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { HostLogs, type LogOptions } from '../../../host/logs/logs.ts'
import { worded } from '../../../host/logs/output.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

async function logging(t: ExecutionContext, options: LogOptions = {}) {
  const file = join(await temporaryFolder(t), 'node.log')
  const logs = new HostLogs({ ...options, targets: [{ file }] })
  return { logs, file, lines: async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1) }
}

test('each subsystem writes what its level lets through, to a file that is the owner’s alone', async t => {
  const { logs, file, lines } = await logging(t, { level: 'warn', levels: new Map([['pins', 'debug']]) })
  logs.get('pins').debug({ n: 1 }, 'a')
  logs.get('dag').info('b')
  logs.get('dag').warn('c')
  const written = (await lines()).map(line => JSON.parse(line))
  t.like(written, [
    { subsystem: 'pins', level: 20, n: 1, msg: 'a' },
    { subsystem: 'dag', level: 40, msg: 'c' }
  ])
  t.is((await stat(file)).mode & 0o777, 0o600)
})

test('a level is set by the own name or the reference’s, for one or for all, also of those to come', async t => {
  const { logs, lines } = await logging(t)
  const says = async (subsystem: string) => {
    const before = (await lines()).length
    logs.get(subsystem).info('x')
    return (await lines()).length > before
  }
  t.false(await says('host'))
  t.true(logs.setLevel('core', 'info'))
  t.true(await says('host'))
  t.true(logs.setLevel('bitswap', 'info'))
  t.true(await says('bitswap'))
  t.false(await says('dag'))
  t.true(logs.setLevel('*', 'info'))
  t.true(await says('dag'))
  t.true(await says('later'))
  t.true(logs.setLevel('*', 'error'))
  for (const name of ['host', 'bitswap', 'dag', 'new']) t.false(await says(name), name)
  for (const name of ['', 'CORE', 'nosuchthing']) t.false(logs.setLevel(name, 'info'), name)
})

test('the list holds the subsystems that exist and the names that stand for some', async t => {
  const { logs } = await logging(t)
  logs.get('acme')
  const list = logs.list()
  for (const name of ['acme', 'core', 'bitswap', 'dht', 'core/server', 'net/identify']) t.true(list.includes(name), name)
  t.deepEqual(list, [...new Set(list)].sort())
})

test('a follower gets what is written from then on, until it leaves, its signal fires, or the log closes', async t => {
  const { logs } = await logging(t)
  const controller = new AbortController()
  logs.get('dag').error('before')
  const followers = [logs.tail(), logs.tail(controller.signal), logs.tail()].map(tail => tail[Symbol.asyncIterator]())
  logs.get('dag').error('first')
  for (const follower of followers) t.is(JSON.parse((await follower.next()).value).msg, 'first')
  controller.abort()
  await followers[0]!.return?.()
  logs.get('dag').error('second')
  t.true((await followers[0]!.next()).done)
  t.true((await followers[1]!.next()).done)
  logs.close()
  t.is(JSON.parse((await followers[2]!.next()).value).msg, 'second')
  t.true((await followers[2]!.next()).done)
  t.true((await logs.tail(AbortSignal.abort())[Symbol.asyncIterator]().next()).done)
})

test('lines for people have the time, the level, the subsystem, the message and the rest', t => {
  const line = JSON.stringify({ level: 50, time: 0, subsystem: 'pins', cid: 'Qm', msg: 'lost\n\x1b[2J' })
  t.is(worded(line, false), '1970-01-01T00:00:00.000Z\tERROR\tpins\tlost\\n\\u001b[2J\t{"cid":"Qm"}\n')
  t.is(worded('{"level":30,"time":0,"subsystem":"a","msg":"b"}', true), '1970-01-01T00:00:00.000Z\t\x1b[34mINFO\x1b[0m\ta\tb\n')
})

test('whatever was thrown is written: what is frozen, has no text, or causes without end', async t => {
  const { logs, lines } = await logging(t)
  const log = logs.get('host')
  let deep = new Error('root')
  for (let i = 0; i < 50_000; i++) deep = new Error('deep', { cause: deep })
  const ring = new Error('round')
  ring.cause = ring
  const usual = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'E_USUAL' })
  for (const err of [Object.freeze(new Error('cold')), Object.create(null), deep, ring, usual]) log.error({ err }, 'told')
  const [cold, bare, causes, round, as] = (await lines()).map(line => JSON.parse(line).err)
  t.is(cold.message, 'cold')
  t.regex(cold.stack, /^Error: cold\n +at /)
  t.deepEqual(bare, {})
  t.is(causes.message, Array.from({ length: 32 }, () => 'deep').join(': '))
  t.regex(round.message, /^round: round/)
  t.like(as, { type: 'Error', message: 'outer: inner', code: 'E_USUAL' })
})
