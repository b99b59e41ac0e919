import test from 'ava'
import { all, file, line } from '../../helpers/dht.ts'

interface Event {
  readonly Type: number
  readonly ID: string
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] }> | null
}

test('content that one node provides is found by one that is not connected with it', async t => {
  const [a, , c] = await line(t, 3, { provideNew: false })
  const [{ Hash }] = (await all<{ Hash: string }>(await a!.host.call('add', { body: file() }))) as [{ Hash: string }]
  const before = await all<Event>(await c!.host.call('routing/findprovs', { args: [Hash] }))
  t.deepEqual(
    before.filter(({ Type }) => Type === 4),
    []
  )
  const told = await all<Event>(await a!.host.call('routing/provide', { args: [Hash] }))
  console.log(JSON.stringify(told))
  const events = await all<Event>(await c!.host.call('routing/findprovs', { args: [Hash] }))
  console.log(JSON.stringify(events))
  t.deepEqual(
    events.filter(({ Type }) => Type === 4).map(({ Responses }) => Responses),
    [[{ ID: a!.network.self, Addrs: [...a!.network.announced()] }]]
  )
})
