import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { serve, testHost } from 'holdfast/testing'
import plugin from '../src/index.ts'

test('visitors are greeted until the host stops', async () => {
  const configuration = { plugins: { 'http-hello': { port: 0, greeting: 'good day' } } }
  const host = await testHost({ plugins: [plugin], builtIns: false, configuration })
  const { listeners } = await serve(host)
  const url = `${listeners['http-hello']}/hello/Ada`
  equal(new URL(url).hostname, '127.0.0.1')
  const answer = await fetch(url)
  deepEqual([answer.status, await answer.text()], [200, 'good day, Ada\n'])
  await host.stop()
  await rejects(fetch(url))
})

test('greetings are told of while they happen, until the host stops', async () => {
  const host = await testHost({ plugins: [plugin], builtIns: false, configuration: { plugins: { 'http-hello': { port: 0 } } } })
  const { listeners } = await serve(host)
  const url = listeners['http-hello']
  const events = await fetch(`${url}/greetings`)
  await fetch(`${url}/hello/Ada%20L`)
  const told = events.text()
  deepEqual(await host.stop(), [])
  equal(await told, 'data: "hello, Ada L"\n\n')
})

test('a port that is none is refused with the name of the setting', async () => {
  const configuration = { plugins: { 'http-hello': { port: 70_000 } } }
  await rejects(testHost({ plugins: [plugin], builtIns: false, configuration }), {
    message: /settings of plugin 'http-hello': port: a port/
  })
})
