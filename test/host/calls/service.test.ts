import test from 'ava'
import { z } from 'zod'
import { type Caller, Calls, command, commonErrors, hasCode, p, plugin, ready, stream, token, value } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'

const greet = command.read('greet', {
  help: '',
  args: { name: p.string('Whom.'), times: p.string('More.').many().optional() },
  options: { loud: p.bool('Loudly.').alias('l'), size: p.int('How large.').default(1) },
  reply: value(z.object({ Text: z.string(), Size: z.int() })),
  run: (_, { args, options }) => ({ Text: [args.name, ...args.times, options.loud ? '!' : '.'].join(' '), Size: options.size })
})

const store = command.write('store', {
  help: 'Store.',
  reply: value(z.object({ Done: z.boolean() })),
  run: () => ({ Done: true })
})

const hang = command.read('hang', {
  help: '',
  reply: stream(z.object({ N: z.int() })),
  async *run(_, { signal }) {
    yield { N: 1 }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
})

/** A transport as a plugin would have it: all that it holds is the service. */
const Line = token<{ calls: Calls }>('test-line')

async function lineHost(around: Parameters<typeof plugin>[0]['around'] = []) {
  const host = await testHost({
    builtIns: false,
    plugins: [
      plugin({
        name: 'line',
        api: '^1',
        about: 'A transport.',
        commands: [greet, store, hang],
        around,
        provides: [{ token: Line, maker: { needs: { calls: Calls }, make: ({ calls }: { calls: Calls }) => ({ calls }) } }]
      })
    ]
  })
  return { host, calls: host.service(Line)!.calls }
}

const caller: Caller = { transport: 'line', address: '192.0.2.7', headers: { 'x-line': '7' } }

test('a plugin finds a command, binds words to it, runs it and writes its answer', async t => {
  const { host, calls } = await lineHost()
  const found = calls.find('greet')!
  const values = await calls.bind(found, {
    words: ['Ada', 'and', 'Bob'],
    options: [
      ['l', 'true'],
      ['size', '0x10']
    ]
  })
  const result = await calls.run(found, { ...values, caller })
  if (result.kind !== 'value') return t.fail(result.kind)
  t.is(calls.encoding(found, 'json')!.value(result.value), '{"Text":"Ada and Bob !","Size":16}\n')
  t.deepEqual(
    calls.commands().map(({ path }) => path),
    ['greet', 'hang', 'store']
  )
  t.is(calls.find('nothing'), undefined)
  await host.stop()
})

test('words that do not bind are told as the RPC tells them, and more', async t => {
  const { host, calls } = await lineHost()
  const found = calls.find('greet')!
  const told = async (words: string[], options: Array<[string, string]> = []) =>
    (await t.throwsAsync(calls.bind(found, { words, options })))!.message
  t.is(await told([]), 'argument "name" is required')
  t.is(await told(['a'], [['size', 'x']]), 'could not convert value "x" to type "int" (for option "-size")')
  t.is(
    await told(
      ['a'],
      [
        ['size', '1'],
        ['size', '2']
      ]
    ),
    'expected key size to have only a single value, received [1 2]'
  )
  t.is(await told(['a'], [['sise', '1']]), "there is no option 'sise'")
  t.is((await t.throwsAsync(calls.bind(calls.find('store')!, { words: ['x'] })))!.message, "no argument takes 'x'")
  await host.stop()
})

test('a caller that leaves ends its call, and is not held on to', async t => {
  const { host, calls } = await lineHost()
  const found = calls.find('hang')!
  const controller = new AbortController()
  const result = await calls.run(found, { ...(await calls.bind(found, { words: [] })), caller, signal: controller.signal })
  if (result.kind !== 'stream') return t.fail(result.kind)
  const items = (result.items as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  t.deepEqual(await items.next(), { done: false, value: { N: 1 } })
  const nextItem = items.next()
  controller.abort()
  t.true(hasCode(await t.throwsAsync(nextItem), 'E_CANCELLED'))
  t.is(host.calls.running, 0)
  await host.stop()
})

test('a grant bounds what a caller may do, on a transport of a plugin as on any other', async t => {
  const { host, calls } = await lineHost()
  const as = async (path: string, access: 'read' | 'write' | 'admin' | undefined) => {
    const found = calls.find(path)!
    const words = found.path === 'greet' ? ['Ada'] : []
    return calls.run(found, { ...(await calls.bind(found, { words })), caller: { transport: 'line', grant: { name: 'ci', access } } })
  }
  for (const access of ['read', 'write', 'admin', undefined] as const) t.is((await as('greet', access)).kind, 'value')
  for (const access of ['write', 'admin', undefined] as const) t.is((await as('store', access)).kind, 'value')
  const error = await t.throwsAsync(as('store', 'read'))
  t.is(error?.message, commonErrors.E_ACCESS('store', 'write', 'ci', 'read').message)
  t.is(error?.message, "store takes the access 'write', and 'ci' has 'read'")
  t.true(hasCode(error, 'E_ACCESS'))
  await host.stop()
})

test('a hook sees the transport, the header fields and the grant, and logs under its own plugin’s name', async t => {
  const seen: unknown[] = []
  const { host, calls } = await lineHost([
    async (call, next) => {
      seen.push(call.caller.transport, call.caller.headers?.['x-line'], call.caller.grant?.name)
      call.log.error('looked')
      return next()
    }
  ])
  const tail = host.logs.tail()[Symbol.asyncIterator]()
  const found = calls.find('store')!
  await calls.run(found, { ...(await calls.bind(found, { words: [] })), caller: { ...caller, grant: { name: 'ci' } } })
  t.like(JSON.parse((await tail.next()).value!), { subsystem: 'line', msg: 'looked' })
  t.deepEqual(seen, ['line', '7', 'ci'])
  await host.stop()
})

test('a command that is off is told with the setting that turned it off', async t => {
  const host = await testHost({
    builtIns: false,
    plugins: [plugin({ name: 'line', api: '^1', about: 'A transport.', commands: [greet, store] })],
    configuration: { commands: { store: 'off' } }
  })
  t.is(host.calls.find('store'), undefined)
  t.regex(host.calls.whyOff('store')!, /commands/)
  await t.throwsAsync(host.calls.run(store, { args: {}, options: {}, caller }), { message: /there is no command 'store' on this host: / })
  await host.stop()
})

test('the service can be put in the place of the host’s own', async t => {
  const fake = { find: () => undefined } as unknown as Calls
  const host = await testHost({ builtIns: false, services: [ready(Calls, fake)] })
  t.is(host.service(Calls), fake)
  await host.stop()
})
