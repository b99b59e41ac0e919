import test from 'ava'
import { serve, testHost } from '../../../host/testing.ts'

const EMPTY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const at = (level: '0.28' | '0.42') => ({ configuration: { rpc: { level } } })

test('pin/ls with a name tells pins whose name contains it, and their names, at level 0.42 alone', async t => {
  const told = { Keys: { [EMPTY]: { Type: 'recursive', Name: 'Alpha one' } } }
  const nameless = { Keys: { [EMPTY]: { Type: 'recursive', Name: '' } } }
  for (const [level, answers] of [
    ['0.28', { pha: nameless, alpha: nameless, '': told }],
    ['0.42', { pha: told, alpha: {}, '': told }]
  ] as const) {
    const host = await testHost(at(level))
    t.teardown(() => host.stop())
    await host.call('pin/add', { args: [EMPTY], options: { name: 'Alpha one' } })
    const { rpc } = await serve(host)
    for (const [name, answer] of Object.entries(answers)) {
      const got = await (await fetch(`${rpc}/pin/ls?name=${name}&names=${name === ''}`, { method: 'POST' })).json()
      t.deepEqual(got, answer, `${level} ${name}`)
    }
  }
})

test('of objects that are asked for, names are told at level 0.42 alone', async t => {
  for (const [level, name] of [
    ['0.28', ''],
    ['0.42', 'one']
  ] as const) {
    const host = await testHost(at(level))
    t.teardown(() => host.stop())
    await host.call('pin/add', { args: [EMPTY], options: { name: 'one' } })
    const answer = await host.call('pin/ls', { args: [EMPTY], options: { names: true } })
    t.deepEqual(answer, { Keys: { [EMPTY]: { Type: 'recursive', Name: name } } }, level)
  }
})

test('one by one, objects that are asked for are told with their names at each level, where that is asked for', async t => {
  for (const level of ['0.28', '0.42'] as const) {
    const host = await testHost(at(level))
    t.teardown(() => host.stop())
    await host.call('pin/add', { args: [EMPTY], options: { name: 'one' } })
    const { rpc } = await serve(host)
    for (const [names, name] of [
      [true, { Name: 'one' }],
      [false, {}]
    ] as const) {
      const response = await fetch(`${rpc}/pin/ls?arg=${EMPTY}&stream=true&names=${names}`, { method: 'POST' })
      t.deepEqual(await response.json(), { Cid: EMPTY, ...name, Type: 'recursive' }, level)
    }
  }
})

test('a name that is no UTF-8 is refused at each level, and the pin keeps the name that it has', async t => {
  for (const level of ['0.28', '0.42'] as const) {
    const host = await testHost(at(level))
    t.teardown(() => host.stop())
    const { rpc } = await serve(host)
    const ask = async (path: string) => (await fetch(`${rpc}/${path}`, { method: 'POST' })).json()
    await ask(`pin/add?arg=${EMPTY}&name=kept`)
    t.like(await ask(`pin/add?arg=${EMPTY}&name=caf%e9`), { Message: 'pin name is no UTF-8' }, level)
    t.deepEqual(await ask('pin/ls?names=true'), { Keys: { [EMPTY]: { Type: 'recursive', Name: 'kept' } } }, level)
  }
})

test('a name of more than 255 bytes is refused at level 0.42 alone', async t => {
  const [older, newer] = await Promise.all([testHost(at('0.28')), testHost(at('0.42'))])
  t.teardown(() => Promise.all([older.stop(), newer.stop()]))
  const add = { args: [EMPTY], options: { name: 'é'.repeat(128) } }
  await t.notThrowsAsync(older.call('pin/add', add))
  const refused = { code: 'E_PIN_NAME_LONG', message: 'pin name is 256 bytes (max 255 bytes)' }
  await t.throwsAsync(newer.call('pin/add', add), refused)
  await t.throwsAsync(async () => newer.call('pin/ls', { options: { name: 'é'.repeat(128) } }), refused)
  await t.notThrowsAsync(newer.call('pin/add', { args: [EMPTY], options: { name: `${'é'.repeat(127)}n` } }))
})

test('add gives a pin no name of more than 255 bytes, and none that is no UTF-8', async t => {
  const host = await testHost(at('0.42'))
  t.teardown(() => host.stop())
  const { rpc } = await serve(host)
  const add = async (name: string) => {
    const body = new FormData()
    body.append('file', new Blob(['named']))
    return (await fetch(`${rpc}/add?pin-name=${name}`, { method: 'POST', body })).json()
  }
  t.like(await add('e'.repeat(256)), { Message: 'pin name is 256 bytes (max 255 bytes)' })
  t.regex(((await add('caf%e9')) as { Message: string }).Message, /no UTF-8/)
  await add('e'.repeat(255))
  const { Keys } = (await (await fetch(`${rpc}/pin/ls?names=true`, { method: 'POST' })).json()) as {
    Keys: Record<string, { Name: string }>
  }
  const names = Object.values(Keys).map(({ Name }) => Name)
  t.deepEqual(
    names.filter(name => name !== ''),
    ['e'.repeat(255)]
  )
  // what a new node pins, and what was added: the refused ones stored nothing
  t.is(names.length, 2)
})

test('commands that a level declares otherwise are told among those of their plugin', async t => {
  for (const level of ['0.28', '0.42'] as const) {
    const host = await testHost(at(level))
    t.teardown(() => host.stop())
    const told = host.plugins().flatMap(({ commands }) => commands)
    t.deepEqual(
      told.toSorted(),
      host
        .commands()
        .map(({ path }) => path)
        .toSorted(),
      level
    )
  }
})
