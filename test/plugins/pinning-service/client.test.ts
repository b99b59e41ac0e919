import { Status, TextMatchingStrategy } from '@ipfs-shipyard/pinning-service-client'
import test from 'ava'
import { servingNode } from './world.ts'

test('the published client library adds, lists, filters, replaces and removes', async t => {
  const node = await servingNode(t)
  const client = node.client()
  const [one, two] = [await node.stored('one'), await node.stored('two')]
  const made = await client.pinsPost({ pin: { cid: one, name: 'a', meta: { app: 'x' } } })
  await node.has(made.requestid, 'pinned')
  const got = await client.pinsRequestidGet({ requestid: made.requestid })
  t.is(got.status, Status.Pinned)
  t.is(got.pin.cid, one)
  t.true(got.created instanceof Date)
  const other = await client.pinsPost({ pin: { cid: two } })
  await node.has(other.requestid, 'pinned')
  const count = async (query: Parameters<typeof client.pinsGet>[0]) => (await client.pinsGet(query)).count
  t.is(await count({}), 2)
  t.is(await count({ cid: [one, two] }), 2)
  t.is(await count({ cid: [one] }), 1)
  t.is(await count({ name: 'A', match: TextMatchingStrategy.Iexact }), 1)
  t.is(await count({ meta: { app: 'x' } }), 1)
  t.is(await count({ meta: { app: 'y' } }), 0)
  t.is(await count({ status: [Status.Failed, Status.Queued] }), 0)
  const page = await client.pinsGet({ limit: 1 })
  t.is([...page.results].length, 1)
  const next = await client.pinsGet({ limit: 1, before: [...page.results][0]!.created })
  t.is([...next.results][0]!.requestid, made.requestid)
  const replaced = await client.pinsRequestidPost({ requestid: made.requestid, pin: { cid: two } })
  await node.has(replaced.requestid, 'pinned')
  await client.pinsRequestidDelete({ requestid: replaced.requestid })
  await client.pinsRequestidDelete({ requestid: other.requestid })
  t.is(await count({}), 0)
  // what it rejects with is the answer itself
  const refused: unknown = await node
    .client('wrong')
    .pinsGet({})
    .catch(answer => answer)
  t.true(refused instanceof Response)
  t.is((refused as Response).status, 401)
})
