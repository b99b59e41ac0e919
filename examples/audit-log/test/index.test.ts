import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { command, p, plugin, stream, value } from 'holdfast'
import { testHost } from 'holdfast/testing'
import { z } from 'zod'
import auditLog from '../src/index.ts'

const count = z.object({ N: z.int() })
let made = 0

const subject = plugin({
  name: 'subject',
  api: '^1',
  about: 'What is audited.',
  commands: [
    command.read('one', {
      help: 'One.',
      args: { n: p.int('A number.') },
      reply: value(count),
      run: (_, { args }) => ({ N: args.n })
    }),
    command.read('many', {
      help: 'Many.',
      args: { n: p.int('How many.') },
      options: { fail: p.bool('Fail at the end.') },
      reply: stream(count),
      async *run(_, { args, options }) {
        for (let N = 0; N < args.n; N++) {
          made = N + 1
          yield { N }
        }
        if (options.fail) throw new Error('broken')
      }
    })
  ]
})

async function audited(t: TestContext, more: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'audit-log-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'audit.log')
  const host = await testHost({
    plugins: [auditLog, subject],
    builtIns: false,
    configuration: { plugins: { 'audit-log': { file, ...more } } }
  })
  const lines = async () =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  return { host, folder, lines }
}

test('each call leaves a line: who, what, how long, and how it ended', async t => {
  const { host, lines } = await audited(t)
  await host.call('one', { args: [7] })
  const seen: number[] = []
  for await (const { N } of (await host.call('many', { args: [3] })) as AsyncIterable<{ N: number }>) {
    // an item is here as soon as it is made
    equal(made, N + 1)
    seen.push(N)
  }
  await rejects(async () => {
    for await (const _ of (await host.call('many', { args: [1], options: { fail: true } })) as AsyncIterable<unknown>);
  })
  for await (const _ of (await host.call('many', { args: [9] })) as AsyncIterable<unknown>) break
  await host.stop()
  const told = await lines()
  deepEqual(
    told.map(({ who, command, args, result, error, items }) => [who, command, args, result, error, items]),
    [
      ['process', 'one', ['7'], 'ok', undefined, undefined],
      ['process', 'many', ['3'], 'ok', undefined, 3],
      ['process', 'many', ['1'], 'error', 'broken', 1],
      ['process', 'many', ['9'], 'left', undefined, 1]
    ]
  )
  ok(told.every(({ time, ms }) => !Number.isNaN(Date.parse(time)) && ms >= 0))
})

test('a file that is full gives way to a new one, and so many old ones are kept', async t => {
  const { host, folder } = await audited(t, { maxBytes: 1024, keep: 2 })
  for (let i = 0; i < 60; i++) await host.call('one', { args: [i] })
  await host.stop()
  deepEqual((await readdir(folder)).sort(), ['audit.log', 'audit.log.1', 'audit.log.2'])
  const [now, before] = await Promise.all(['audit.log', 'audit.log.1'].map(name => readFile(join(folder, name), 'utf8')))
  ok(now!.length <= 1024 && before!.length <= 1024)
  ok(now!.includes('"args":["59"]'))
})
