import test from 'ava'
import { nowInNanoseconds, readRecord } from '../../../core/ipns/index.ts'
import { EMPTY_FOLDER, HOUR, keysOf, namesOf, nodeWith, recordOf, signer } from './helpers.ts'

/** A node with a key of whose name there are records. */
async function withKey(t: Parameters<typeof nodeWith>[0]) {
  const host = await nodeWith(t)
  const { peerId } = await keysOf(host).generate('mine')
  const by = { ...(await keysOf(host).get('mine'))!, sign: (bytes: Uint8Array) => keysOf(host).sign('mine', bytes) }
  return { host, names: namesOf(host), by, name: `/ipns/${peerId}`, peerId }
}

test('a record of another program leads where it led, and the next one counts on from it', async t => {
  const { names, by, name, peerId } = await withKey(t)
  await names.takeOver(peerId, await recordOf(by, { path: `${EMPTY_FOLDER}/1`, sequence: 7n }))
  t.is((await names.resolve(name)).path, `${EMPTY_FOLDER}/1`)
  t.is((await names.publish('/ipfs/bafkqaaa', { key: 'mine', allowOffline: true })).sequence, 8n)
  await t.throwsAsync(names.takeOver(peerId, await recordOf(by, { sequence: 7n })), { code: 'E_RECORD_OLDER' })
})

test('one that has ended is made anew, with the same content', async t => {
  const { names, by, name, peerId } = await withKey(t)
  await names.takeOver(peerId, await recordOf(by, { path: `${EMPTY_FOLDER}/1`, sequence: 3n, end: nowInNanoseconds() - HOUR }))
  t.is((await names.resolve(name)).path, `${EMPTY_FOLDER}/1`)
  const published = readRecord((await names.published(peerId))!)
  t.is(published.sequence, 3n)
  t.true(published.end! > nowInNanoseconds() + HOUR)
})

test("the empty folder, which a new node's name stands for, gives way to whatever is taken over", async t => {
  const host = await nodeWith(t)
  const names = namesOf(host)
  const self = (await keysOf(host).get('self'))!
  const by = { ...self, sign: (bytes: Uint8Array) => keysOf(host).sign('self', bytes) }
  await names.takeOver(self.peerId, await recordOf(by, { path: `${EMPTY_FOLDER}/1`, sequence: 0n, end: nowInNanoseconds() + HOUR }))
  t.is((await names.resolve(`/ipns/${self.peerId}`)).path, `${EMPTY_FOLDER}/1`)
})

test('a record of a key that is not here, or of another one, is refused', async t => {
  const { names, peerId } = await withKey(t)
  const other = await signer()
  await t.throwsAsync(names.takeOver(other.peerId, await recordOf(other)), { code: 'E_NAME_KEY_ID' })
  await t.throwsAsync(names.takeOver(peerId, await recordOf(other)))
  t.is(await names.published(peerId), undefined)
})
