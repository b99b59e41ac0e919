import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { itemsOf } from '../../host/testing.ts'
import { gathered } from '../helpers/streams.ts'
import { until } from '../helpers/until.ts'
import { world } from '../plugins/gateway/world.ts'

const MiB = 1 << 20

for (const [what, form] of [
  ['a file', ''],
  ['an archive', '?format=tar'],
  ['a CAR', '?format=car'],
  ['the end of a file as a CAR', '?format=car&entity-bytes=1048576:*']
] as const)
  test(`${what} that a client is still reading comes whole, whatever a collection takes meanwhile`, async t => {
    const { host, port, add, get } = await world(t)
    // more than the sockets of both sides and the read-ahead take in
    const { cids } = await add({ large: randomBytes(28 * MiB) }, { cidVersion: 1, pin: false })
    const path = `/ipfs/${cids.get('large')}${form}`
    const whole = await get(path)
    const asked = request({ host: '127.0.0.1', port, path, agent: false }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    t.is(answer.statusCode, 200)
    await setTimeout(200)
    const collected = await itemsOf<{ Key: unknown }>(await host.call('repo/gc'))
    t.true(collected.length <= 1, 'the folder alone, which nobody reads')
    const archive = await gathered(answer)
    // an archive begins with the time at which it was made
    t.true(whole.bytes.subarray(512).equals(archive.subarray(512)))
    await until('nobody reads it any more', async () => (await itemsOf(await host.call('repo/gc'))).length > 100)
  })
