import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { Network } from 'holdfast'
import { testHost } from 'holdfast/testing'
import plugin from '../src/index.ts'

const online = () =>
  testHost({
    plugins: [plugin],
    configuration: { plugins: { network: 'on' } },
    node: { 'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'], Bootstrap: [], 'Discovery.MDNS.Enabled': false, 'Swarm.DisableNatPortMap': true }
  })

test('a message goes from one node to the other', async () => {
  const [ada, bob] = await Promise.all([online(), online()])
  const [here, there] = [ada.service(Network)!, bob.service(Network)!]
  await here.dial(there.self, there.announced())
  const controller = new AbortController()
  const messages = (await bob.call('chat/listen', { signal: controller.signal })) as AsyncIterable<unknown>
  const first = messages[Symbol.asyncIterator]().next()
  await ada.call('chat/say', { args: { peer: there.self, text: 'good morning' } })
  deepEqual((await first).value, { From: here.self, Text: 'good morning' })
  await rejects(ada.call('chat/say', { args: { peer: there.self, text: 'x'.repeat(5000) } }), { code: 'E_CHAT_LONG' })
  controller.abort()
  await Promise.all([ada.stop(), bob.stop()])
})

test('a node without peers says so', async () => {
  const host = await testHost({ plugins: [plugin] })
  await rejects(host.call('chat/say', { args: { peer: 'x', text: 'hello' } }), { code: 'E_CHAT_OFFLINE' })
  await host.stop()
})
