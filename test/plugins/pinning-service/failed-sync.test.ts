/** Changes that were written and then not synced: they may be there, and what follows from them happens without another start. */
import test, { type ExecutionContext } from 'ava'
import { until } from '../../helpers/until.ts'
import { ABSENT, datastoreWith, servingNode } from './world.ts'

/** A node whose next syncs fail, once as many are said to. */
async function node(t: ExecutionContext, limits: Record<string, number> = {}) {
  const disk = { failures: 0 }
  const broken = datastoreWith('broken', 'Fails to sync what was written.', of => ({
    async sync() {
      if (disk.failures-- > 0) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
      await of.sync?.()
    }
  }))
  const serving = await servingNode(t, { plugins: [broken], services: { datastore: ['broken', 'storage-memory'] }, settings: { limits } })
  const failing = async (method: string, path: string, body?: unknown) => {
    disk.failures = 1
    const { status } = await serving.ask(method, path, { body })
    disk.failures = 0
    t.is(status, 500, `${method} ${path}`)
  }
  const all = async () => (await serving.ask('GET', '/pins?status=queued,pinning,pinned,failed')).json
  return { ...serving, failing, all }
}

test('a client has no more requests than it may, and no fewer, after any change failed', async t => {
  const { failing, all, ask } = await node(t, { requestsPerToken: 2 })
  await failing('POST', '/pins', { cid: ABSENT })
  for (const { requestid } of (await all()).results) t.is((await ask('DELETE', `/pins/${requestid}`)).status, 202)
  for (let i = 0; i < 10; i++) await ask('POST', '/pins', { body: { cid: ABSENT } })
  t.is((await all()).count, 2)
  const [first] = (await all()).results
  await failing('DELETE', `/pins/${first!.requestid}`)
  t.is((await ask('DELETE', `/pins/${first!.requestid}`)).status, 404, 'it is gone')
  t.is((await ask('POST', '/pins', { body: { cid: ABSENT } })).status, 202)
  t.is((await ask('POST', '/pins', { body: { cid: ABSENT } })).status, 409)
  t.is((await all()).count, 2)
})

test('what was written is worked on, and what was removed lets go of its pin', async t => {
  const { failing, all, stored, pins } = await node(t)
  const [one, other] = [await stored('one'), await stored('other')]
  await failing('POST', '/pins', { cid: one })
  await until('it is pinned', async () => (await all()).results[0]?.status === 'pinned')
  const { requestid } = (await all()).results[0]!
  await failing('POST', `/pins/${requestid}`, { cid: other })
  await until('it is replaced', async () => `${await pins()}` === `${other} recursive pinning-service`)
  const [instead] = (await all()).results
  await failing('DELETE', `/pins/${instead!.requestid}`)
  await until('its pin is gone', async () => (await pins()).length === 0)
  t.is((await all()).count, 0)
})
