import test from 'ava'
import { Datastore } from '../../../core/index.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { until } from '../../helpers/until.ts'
import { servingNode } from './world.ts'

test('a pin goes with the last request that wants it, whoever made that', async t => {
  const node = await servingNode(t)
  const bob = await node.makeToken('bob')
  const cid = await node.stored('shared')
  const first = await node.post(cid)
  await node.has(first.requestid, 'pinned')
  const second = await node.post(cid, {}, bob)
  t.is(second.status, 'pinned', 'it is there already')
  await node.ask('DELETE', `/pins/${first.requestid}`)
  t.deepEqual(await node.pins(), [`${cid} recursive pinning-service`])
  await node.ask('DELETE', `/pins/${second.requestid}`, { token: bob })
  t.deepEqual(await node.pins(), [])
})

test("the user's own pins are never touched: one from before, and one that was made since", async t => {
  const node = await servingNode(t)
  const [before, since] = [await node.stored('before'), await node.stored('since')]
  await node.host.call('pin/add', { args: [before], options: { name: 'mine' } })
  const one = await node.post(before)
  t.is(one.status, 'pinned')
  const two = await node.post(since)
  await node.has(two.requestid, 'pinned')
  await node.host.call('pin/add', { args: [since] })
  const kept = [`${before} recursive mine`, `${since} recursive `].sort()
  t.deepEqual(await node.pins(), kept)
  for (const { requestid } of [one, two]) t.is((await node.ask('DELETE', `/pins/${requestid}`)).status, 202)
  t.deepEqual(await node.pins(), kept)
})

test("a user's pin that happens to have the service's name is the user's", async t => {
  const node = await servingNode(t)
  const cid = await node.stored('named')
  await node.host.call('pin/add', { args: [cid], options: { name: 'pinning-service' } })
  const { requestid } = await node.post(cid)
  await node.has(requestid, 'pinned')
  await node.ask('DELETE', `/pins/${requestid}`)
  t.deepEqual(await node.pins(), [`${cid} recursive pinning-service`])
})

test('a direct pin of the user comes back with its name when the request is gone', async t => {
  const node = await servingNode(t)
  const cid = await node.stored('direct')
  await node.host.call('pin/add', { args: [cid], options: { recursive: false, name: 'block' } })
  const { requestid } = await node.post(cid)
  await node.has(requestid, 'pinned')
  t.deepEqual(await node.pins(), [`${cid} recursive pinning-service`])
  await node.ask('DELETE', `/pins/${requestid}`)
  t.deepEqual(await node.pins(), [`${cid} direct block`])
})

test('what the user unpins is pinned again where a request wants it', async t => {
  const node = await servingNode(t)
  const [cid, other] = [await node.stored('wanted'), await node.stored('other')]
  await node.host.call('pin/add', { args: [cid] })
  const { requestid } = await node.post(cid)
  const again = () => until('the pin is back', async () => (await node.pins()).includes(`${cid} recursive pinning-service`))
  await node.host.call('pin/rm', { args: [cid] })
  await again()
  await node.has(requestid, 'pinned')
  await node.host.call('pin/rm', { args: [cid] })
  await again()
  await node.has(requestid, 'pinned')
  await node.host.call('pin/update', { args: [cid, other] })
  await again()
  await node.has(requestid, 'pinned')
  t.true((await node.pins()).includes(`${other} recursive pinning-service`), 'the new pin is the user’s')
  await node.ask('DELETE', `/pins/${requestid}`)
  t.deepEqual(await node.pins(), [`${other} recursive pinning-service`])
})

test('what is replaced stays until what replaces it is there, or has failed', async t => {
  const node = await servingNode(t)
  const [one, two] = [await node.stored('one'), await node.stored('two')]
  const first = await node.post(one)
  await node.has(first.requestid, 'pinned')
  const second = await node.ask('POST', `/pins/${first.requestid}`, { body: { cid: two } })
  await node.has(second.json.requestid, 'pinned')
  await until('the first is gone', async () => (await node.pins()).join() === `${two} recursive pinning-service`)
  const third = await node.ask('POST', `/pins/${second.json.requestid}`, { body: { cid: two, name: 'x' } })
  t.is(third.json.status, 'pinned')
  t.deepEqual(await node.pins(), [`${two} recursive pinning-service`], 'the same CID stays')
})

test('requests, their states and the queue outlive the process; what it left half done is put in order', async t => {
  const repo = await temporaryFolder(t)
  const first = await servingNode(t, { repo })
  const [kept, orphan] = [await first.stored('kept'), await first.stored('orphan')]
  const made = await first.post(kept, { name: 'n' })
  await first.has(made.requestid, 'pinned')
  const lost = await first.post(orphan)
  await first.has(lost.requestid, 'pinned')
  // as a process leaves it that dies between the end of a request and the end of its pin
  const store = first.host.service(Datastore)!
  for await (const key of store.queryKeys({ prefix: '/pinning-service/' })) {
    if (key.toString().endsWith(lost.requestid)) await store.delete(key)
  }
  await first.host.stop()
  const second = await servingNode(t, { repo })
  const token = await second.makeToken('bob')
  t.is((await second.ask('GET', '/pins', { token })).json.count, 0)
  const again = await second.ask('GET', `/pins/${made.requestid}`, { token: first.token })
  t.is(again.status, 200, again.text)
  t.deepEqual(again.json.pin, { cid: kept, name: 'n' })
  await until('the orphan is gone', async () => !(await second.pins()).some(pin => pin.startsWith(orphan)))
  t.is((await second.pins()).filter(pin => pin.endsWith('pinning-service')).length, 1)
})
