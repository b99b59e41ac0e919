import test from 'ava'
import { parseCid } from '../../../core/cid/parse.ts'
import { Blockstore, Calls, fastBlocks, hasCode, WriteBarrier } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { dropDamaged } from '../../../plugins/repo/drop.ts'
import { onlineNode } from '../../helpers/online.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { put } from '../blocks/host.ts'
import type { Verified } from './host.ts'

const CORRUPT = 'block in storage has different hash than requested'

/** Puts other bytes in the place of a stored block's. */
async function damage(host: NodeHost, cid: string): Promise<void> {
  const store = fastBlocks(host.service(Blockstore)!)
  const { bytes } = parseCid(cid).multihash
  await store.deleteMultihash(bytes)
  await store.putBytes(bytes, Buffer.from('DAMAGED'))
}

const verify = (host: NodeHost, options: Record<string, unknown>) => itemsUntilError<Verified>(host.call('repo/verify', { options }))
const messages = (items: readonly Verified[]) => items.map(({ Msg }) => Msg).filter(message => message !== '')
const has = (host: NodeHost, cid: string) => fastBlocks(host.service(Blockstore)!).hasMultihash(parseCid(cid).multihash.bytes)

test('damaged blocks are dropped where that is asked for, and no others', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const [good, bad] = [await put(host, 'good'), await put(host, 'bad')]
  await damage(host, bad)
  t.is((await verify(host, {})).error, 'verify complete, some blocks were corrupt')
  t.true(await has(host, bad), 'looking at it changes nothing')
  const { items, error } = await verify(host, { drop: true })
  t.is(error, undefined)
  t.deepEqual(messages(items), [`block ${bad} was corrupt (${CORRUPT}), removed`, 'verify complete, 1 blocks corrupt, 1 removed'])
  t.deepEqual([await has(host, good), await has(host, bad)], [true, false])
  t.deepEqual(messages((await verify(host, { drop: true })).items), ['verify complete, all blocks validated.'])
})

test('a block that was stored anew since it was looked at stays', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const cid = await put(host, 'mended')
  const store = fastBlocks(host.service(Blockstore)!)
  const parts = { store, barrier: host.service(WriteBarrier), signal: new AbortController().signal }
  t.false(await dropDamaged(parseCid(cid).multihash.bytes, parts))
  t.true(await has(host, cid))
})

test('damaged blocks are fetched from peers again; what nobody has is told and gone', async t => {
  const [one, other] = await Promise.all([onlineNode(t), onlineNode(t)])
  const [here, lost] = [await put(one.host, 'others have it'), await put(one.host, 'nobody has it')]
  await put(other.host, 'others have it')
  await one.network.dial(other.network.self, other.network.announced())
  await damage(one.host, here)
  const { items, error } = await verify(one.host, { heal: true })
  t.is(error, undefined)
  t.deepEqual(messages(items), [
    `block ${here} was corrupt (${CORRUPT}), removed, fetched again`,
    'verify complete, 1 blocks corrupt, 1 removed, 1 healed'
  ])
  t.is(`${Buffer.from((await fastBlocks(one.host.service(Blockstore)!).getBytes(parseCid(here).multihash.bytes))!)}`, 'others have it')
  await damage(one.host, lost)
  const second = await verify(one.host, { heal: true, healTimeout: '200ms' })
  t.deepEqual(messages(second.items), [`block ${lost} was corrupt (${CORRUPT}), removed, not fetched again: nobody had it within 0.2 s`])
  t.is(second.error, 'verify complete, 1 blocks corrupt, 1 removed, 0 healed, 1 not: they are gone until somebody who has them is found')
})

test('healing takes peers, and a time that is one', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const bad = await put(host, 'bad')
  await damage(host, bad)
  for (const [options, code] of [
    [{ heal: true }, 'E_NEEDS_ONLINE'],
    [{ heal: true, healTimeout: 'soon' }, 'E_HEAL_TIMEOUT'],
    [{ healTimeout: '-1s' }, 'E_HEAL_TIMEOUT_NEGATIVE']
  ] as const)
    t.true(hasCode(await t.throwsAsync(async () => itemsOf(await host.call('repo/verify', { options }))), code), code)
  t.true(await has(host, bad), 'nothing was done')
})

test('who may only read may look, and neither drop, heal nor forget', async t => {
  const host = await testHost({ node: { 'Experimental.FilestoreEnabled': true } })
  t.teardown(() => host.stop())
  const calls = host.service(Calls)!
  const as = async (path: string, options: Record<string, unknown>) => {
    const command = calls.find(path)!
    const values = await calls.bind(command, { words: [] })
    const caller = { transport: 'test', grant: { name: 'ci', access: 'read' as const } }
    const result = await calls.run(command, { ...values, options: { ...values.options, ...options }, caller })
    if (result.kind === 'stream') for await (const _ of result.items) if (_ === undefined) return
  }
  await t.notThrowsAsync(as('repo/verify', {}))
  for (const [path, options] of [
    ['repo/verify', { drop: true }],
    ['filestore/verify', { removeBadBlocks: true }]
  ] as const)
    await t.throwsAsync(as(path, options), { message: `${path} takes the access 'write', and 'ci' has 'read'` })
})
