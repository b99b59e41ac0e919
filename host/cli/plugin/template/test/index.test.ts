import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { ready } from 'holdfast'
import { testHost } from 'holdfast/testing'
import { Greetings } from '../src/greetings.ts'
import plugin from '../src/index.ts'

test('people are greeted as the settings say', async () => {
  const host = await testHost({ plugins: [plugin], configuration: { plugins: { [plugin.name]: { greeting: 'good day' } } } })
  deepEqual(await host.call('starter/greet', { args: ['Ada'] }), { Message: 'good day, Ada' })
  deepEqual(await host.call('starter/greet', { args: ['Ada'], options: { loud: true } }), { Message: 'GOOD DAY, ADA' })
  await rejects(host.call('starter/greet', { args: [''] }), { code: 'E_NAME_EMPTY' })
  await host.stop()
})

test('the command works with whatever greets', async () => {
  const host = await testHost({ plugins: [plugin], services: [ready(Greetings, { greet: name => `hi ${name}` })] })
  deepEqual(await host.call('starter/greet', { args: ['Ada'] }), { Message: 'hi Ada' })
  await host.stop()
})
