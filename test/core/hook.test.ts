import test from 'ava'
import { z } from 'zod'
import { command, hook, plugin, type Result, ready, service, stream, token, value, whenOver } from '../../core/index.ts'
import { testHost } from '../../host/testing.ts'
import { collectGarbage } from '../helpers/memory.ts'

const live = (signal = new AbortController().signal) => ({ signal, caller: { transport: 'process' } as const })

function streamOf(
  items: AsyncIterable<unknown>,
  signal = new AbortController().signal
): { items: AsyncIterator<unknown>; ends: () => number } {
  let ended = 0
  const result = whenOver(live(signal), { kind: 'stream', items } as Result, () => ended++)
  if (result.kind !== 'stream') throw new Error('not a stream')
  return { items: (result.items as AsyncIterable<unknown>)[Symbol.asyncIterator](), ends: () => ended }
}

async function* counting(to: number): AsyncGenerator<number> {
  for (let i = 1; i <= to; i++) yield i
}

test('a whole answer is over at once', t => {
  let ended = 0
  const results: readonly Result[] = [{ kind: 'value', value: 1 }, { kind: 'nothing' }, { kind: 'stream', items: [1, 2] }]
  for (const result of results)
    t.is(
      whenOver(live(), result, () => ended++),
      result
    )
  t.is(ended, results.length)
})

test('a stream is over when it has ended, and not before', async t => {
  const { items, ends } = streamOf(counting(2))
  await items.next()
  await items.next()
  t.is(ends(), 0)
  t.true((await items.next()).done)
  t.is(ends(), 1)
})

test('a stream that fails is over, and says why', async t => {
  const { items, ends } = streamOf(
    (async function* () {
      throw new Error('broken')
    })()
  )
  await t.throwsAsync(() => items.next(), { message: 'broken' })
  t.is(ends(), 1)
})

test('a stream that is broken off is over when what makes it has stopped', async t => {
  let stop = () => {}
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  const { items, ends } = streamOf(
    (async function* () {
      try {
        yield 1
      } finally {
        await stopped
      }
    })()
  )
  await items.next()
  const returned = items.return?.()
  await new Promise(resolve => setImmediate(resolve))
  t.is(ends(), 0)
  stop()
  await returned
  t.is(ends(), 1)
})

test('a stream whose call is given up before anybody reads it is over, and refuses to be read', async t => {
  const leave = new AbortController()
  const { items, ends } = streamOf(counting(2), leave.signal)
  leave.abort(new Error('left'))
  t.is(ends(), 1)
  await t.throwsAsync(() => items.next(), { message: 'left' })
  t.is(streamOf(counting(2), leave.signal).ends(), 1)
})

test('a stream whose call is given up while it is read is over when its reader has come to its end', async t => {
  const leave = new AbortController()
  const { items, ends } = streamOf(counting(2), leave.signal)
  await items.next()
  leave.abort(new Error('left'))
  t.is(ends(), 0)
  t.deepEqual(await items.next(), { done: false, value: 2 })
  await items.next()
  t.is(ends(), 1)
})

test('a stream that nobody holds any more is over', async t => {
  const { signal } = new AbortController()
  const over = new Promise<void>(resolve => void whenOver(live(signal), { kind: 'stream', items: counting(2) }, resolve))
  const again = setInterval(collectGarbage, 10)
  await over
  clearInterval(again)
  t.pass()
})

const Word = token<string>('test.word')

test('a stream whose reader alone is held is read to its end, whatever memory is collected meanwhile', async t => {
  const { items, ends } = streamOf(counting(20))
  for (let i = 1; i <= 20; i++) {
    t.is((await items.next()).value, i)
    collectGarbage()
    // what is told of collected memory runs in a turn of its own
    await new Promise(resolve => setImmediate(resolve))
  }
  t.is(ends(), 0)
  t.true((await items.next()).done)
  t.is(ends(), 1)
})

test('a hook gets its services, and lies around the commands it is about only', async t => {
  const seen: string[] = []
  const one = command.write('one', {
    help: 'Answers.',
    reply: value(z.int()),
    run: () => 1
  })
  const many = command.read('many', {
    help: 'Answers often.',
    reply: stream(z.int()),
    run: () => counting(2)
  })
  const asked: string[] = []
  const watch = hook({
    only(command) {
      asked.push(command.path)
      return command.access === 'write'
    },
    needs: { word: Word },
    async run({ word }, call, next) {
      seen.push(`${word} ${call.command.path}`)
      return next()
    }
  })
  const host = await testHost({
    builtIns: false,
    plugins: [plugin({ name: 'watch', api: '^1', about: '', provides: [ready(Word, 'saw')], commands: [one, many], around: [watch] })]
  })
  t.teardown(() => host.stop())
  t.deepEqual(asked.sort(), ['many', 'one'])
  await host.call('one')
  await host.call('one')
  for await (const _ of (await host.call('many')) as AsyncIterable<unknown>);
  t.deepEqual(seen, ['saw one', 'saw one'])
  t.is(asked.length, 2)
})

test('which commands a hook is about may depend on its services', async t => {
  const seen: string[] = []
  const one = command.read('one', { help: 'Answers.', reply: value(z.int()), run: () => 1 })
  const about = (wanted: string) =>
    hook({
      needs: { word: Word },
      only: (_, { word }) => word === wanted,
      run(_, _call, next) {
        seen.push(wanted)
        return next()
      }
    })
  const host = await testHost({
    builtIns: false,
    plugins: [
      plugin({
        name: 'watch',
        api: '^1',
        about: '',
        provides: [ready(Word, 'saw')],
        commands: [one],
        around: [about('saw'), about('heard')]
      })
    ]
  })
  t.teardown(() => host.stop())
  await host.call('one')
  t.deepEqual(seen, ['saw'])
})

test('a host refuses to open when a hook needs what nobody provides', async t => {
  const watch = hook({ needs: { word: Word }, run: (_, _call, next) => next() })
  await t.throwsAsync(testHost({ builtIns: false, plugins: [plugin({ name: 'watch', api: '^1', about: '', around: [watch] })] }), {
    message: /'test\.word'.*a hook of watch/
  })
})

const Spoken = token<{ said: string }>('test.said')

class Sayer {
  readonly said: string
  constructor(word: string) {
    this.said = word
  }
}

test('who provides a service in the stead of a plugin serves that plugin as well', async t => {
  const host = await testHost({
    builtIns: false,
    services: [ready(Word, 'given')],
    plugins: [
      plugin({
        name: 'words',
        api: '^1',
        about: '',
        provides: [ready(Word, 'own'), service(Spoken, { needs: { word: Word }, make: s => new Sayer(s.word) })]
      })
    ]
  })
  t.teardown(() => host.stop())
  t.is(host.service(Spoken)?.said, 'given')
})
