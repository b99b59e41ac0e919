import test from 'ava'
import { CID } from 'multiformats/cid'
import type { Pin } from '../../../core/index.ts'
import { checkPins } from '../../../plugins/pins/check.ts'
import { PinRecord } from '../../../plugins/pins/store/record.ts'
import { PinTable } from '../../../plugins/pins/store/table.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { all } from '../../helpers/streams.ts'
import { tree, type World, world } from './world.ts'

const texts = async (cids: AsyncIterable<CID>) => (await all(cids)).map(String)

/** Two roots that share a part, one of which lies below the other. */
async function family(w: World) {
  const [x, y, z] = [w.leaf('x'), w.leaf('y'), w.leaf('z')]
  const inner = w.node(x, y)
  const outer = w.node(inner, z)
  await w.pins.add(inner)
  await w.pins.add(outer)
  await w.pins.add(x, { recursive: false })
  return { x, y, z, inner, outer }
}

test('indirect is what roots reach, each once, without what has a pin of its own', async t => {
  const w = world()
  const { y, z } = await family(w)
  t.deepEqual((await texts(w.pins.indirect())).sort(), [y.toString(), z.toString()].sort())
  t.deepEqual((await texts(w.restarted().indirect())).sort(), [y.toString(), z.toString()].sort())
})

test('why says how each is kept, its own pin first', async t => {
  const w = world()
  const { x, y, z, inner, outer } = await family(w)
  const loose = w.leaf('loose')
  const why = async (options = {}) =>
    Object.fromEntries(
      [...(await w.pins.why([x, y, z, inner, outer, loose], options))].map(([cid, { mode, through }]) => [cid, `${mode} ${through ?? ''}`])
    )
  const first = (await all(w.pins.list({ mode: 'recursive' })))[0]!.cid
  const direct = { [`${x}`]: 'direct ', [`${inner}`]: 'recursive ', [`${outer}`]: 'recursive ' }
  t.deepEqual(await why(), { ...direct, [`${y}`]: `indirect ${first.equals(inner) ? inner : outer}`, [`${z}`]: `indirect ${outer}` })
  t.deepEqual(await why({ mode: 'direct' }), { [`${x}`]: 'direct ' })
  t.deepEqual(await why({ mode: 'recursive' }), { [`${inner}`]: 'recursive ', [`${outer}`]: 'recursive ' })
  const shared = `indirect ${first.equals(inner) ? inner : outer}`
  t.deepEqual(await why({ mode: 'indirect' }), {
    [`${x}`]: shared,
    [`${y}`]: shared,
    [`${z}`]: `indirect ${outer}`,
    [`${inner}`]: `indirect ${outer}`
  })
})

test('the same block under another CID is another question', async t => {
  const w = world()
  const { root } = tree(w, 2, 1)
  await w.pins.add(root)
  t.is((await w.pins.why([CID.createV1(0x55, root.multihash)])).size, 0)
})

test('one walk answers all questions, ends with the last answer, and reads no leaf', async t => {
  const w = world()
  const { root, cids } = tree(w, 10, 3)
  await w.pins.add(root)
  w.blocks.reads.length = 0
  const found = await w.pins.why([w.leaf('tree/0/0/3'), w.leaf('tree/0/1/7'), w.leaf('tree/0/0/9')])
  t.is(found.size, 3)
  // The root, its first child, two or so below that, and what was loading ahead.
  t.true(w.blocks.reads.length < 40, `${w.blocks.reads.length} reads`)
  w.blocks.reads.length = 0
  t.is((await w.pins.why([w.leaf('tree/9/9/9'), w.leaf('tree/0/0/0'), w.leaf('nowhere')])).size, 2)
  t.true(w.blocks.reads.length <= 111 + 2, `${w.blocks.reads.length} reads`)
  t.is(cids.length, 1111)
})

test('a question that has to pass a missing block fails as reading it does', async t => {
  const w = world()
  const { root } = tree(w, 3, 2)
  await w.pins.add(root)
  await w.blocks.delete((await texts(w.pins.indirect())).map(cid => CID.parse(cid)).find(cid => cid.code !== 0x55)!)
  await t.throwsAsync(w.pins.why([w.leaf('nowhere')]), { code: 'E_BLOCK_NOT_FOUND' })
  await t.throwsAsync(all(w.pins.indirect()), { code: 'E_BLOCK_NOT_FOUND' })
})

test('listing and asking end when the caller leaves', async t => {
  const w = world()
  const { root } = tree(w, 5, 4)
  await w.pins.add(root)
  const ways = [
    (signal: AbortSignal) => all(w.pins.indirect({ signal })),
    (signal: AbortSignal) => w.pins.why([w.leaf('nowhere')], { signal })
  ]
  for (const ask of ways) {
    const leave = new AbortController()
    const before = w.blocks.reads.length
    w.blocks.beforeRead = count => {
      if (count - before > 20) leave.abort(new Error('left'))
    }
    await t.throwsAsync(ask(leave.signal), { message: 'left' })
    t.true(w.blocks.reads.length - before < 60)
  }
})

test('a check names missing nodes once a root, and reads what good roots share once', async t => {
  const w = world()
  const shared = tree(w, 5, 2, 'shared')
  const good = w.node(shared.root, w.leaf('a'))
  const alsoGood = w.node(w.leaf('b'), shared.root)
  const lost = w.leaf('lost')
  const bytes = await w.blocks.get(lost)
  const lostNode = w.node(w.leaf('below'))
  const broken = w.node(lost, w.node(lost), lostNode, shared.root)
  for (const root of [good, alsoGood, broken]) await w.pins.add(root)
  await w.pins.add(lost, { recursive: false })
  const state = async () =>
    Object.fromEntries(
      (await all(checkPins(w.pins, w.blocks, w.dag, {}))).map(({ cid, bad }) => [
        `${cid}`,
        bad.map(node => `${node.cid}: ${node.reason}`).sort()
      ])
    )
  const whole = { [`${good}`]: [], [`${alsoGood}`]: [] }
  w.blocks.reads.length = 0
  t.deepEqual(await state(), { ...whole, [`${broken}`]: [] })
  t.is(w.blocks.reads.filter(read => read === shared.root.toString()).length, 1)
  await w.blocks.delete(lost)
  await w.blocks.delete(lostNode)
  const missing = (cid: CID) => `${cid}: block was not found locally (offline): ipld: could not find ${cid}`
  t.deepEqual(await state(), { ...whole, [`${broken}`]: [missing(lost), missing(lostNode)].sort() })
  await w.blocks.put(lost, bytes)
  t.deepEqual(await state(), { ...whole, [`${broken}`]: [missing(lostNode)] })
})

test('an update fetches only what the old graph does not hold', async t => {
  const w = world()
  const same = tree(w, 4, 2, 'same')
  const before = w.node(w.leaf('a'), w.leaf('b'), same.root)
  await w.pins.add(before, { name: 'site' })
  const after = w.node(w.leaf('a'), w.leaf('b2'), same.root, w.node(w.leaf('new')))
  w.blocks.reads.length = 0
  await w.pins.update(before, after)
  t.deepEqual(
    [...new Set(w.blocks.reads)].sort(),
    [before, after, w.leaf('b'), w.leaf('b2'), w.node(w.leaf('new')), w.leaf('new')].map(String).sort()
  )
  t.deepEqual(
    (await all(w.pins.list())).map(({ text, name }) => [text, name]),
    [[after.toString(), 'site']]
  )
})

test('an update says what is wrong with either side, and changes nothing then', async t => {
  const w = world()
  const [one, two, loose] = [w.node(w.leaf('1')), w.node(w.leaf('2')), w.leaf('loose')]
  await t.throwsAsync(w.pins.update(one, two), { code: 'E_PIN_FROM' })
  await w.pins.add(one)
  await w.pins.add(two)
  await t.throwsAsync(w.pins.update(one, two), { code: 'E_PIN_TO' })
  await w.pins.update(one, one)
  await w.blocks.delete(loose)
  await t.throwsAsync(w.pins.update(one, loose), {
    code: 'E_BLOCK_NOT_FOUND',
    message: `get ${loose}: block was not found locally (offline): ipld: could not find ${loose}`
  })
  const deep = w.node(w.leaf('1'), w.leaf('deep'))
  await w.blocks.delete(w.leaf('deep'))
  await t.throwsAsync(w.pins.update(one, deep), { message: /^block was not found/ })
  t.is((await all(w.pins.list())).length, 2)
})

test('a table too large for memory answers as one that is in memory', async t => {
  for (const mirrored of [0, 3, 100]) {
    const table = new PinTable(new MemoryDatastore(), { mirrored })
    const records = Array.from({ length: 10 }, (_, i) => new PinRecord(i % 2 ? 'direct' : 'recursive', `AX${i}`, `name ${i}`))
    for (const record of records) await table.change({ put: [record] })
    await table.change({ remove: [records[2]!], put: [new PinRecord('direct', 'AX1', 'again')] })
    t.deepEqual(
      (await all(table.list('recursive'))).map(({ id }) => id),
      ['AX0', 'AX4', 'AX6', 'AX8']
    )
    t.deepEqual(
      (await all(table.list('direct'))).map(({ name }) => name),
      ['again', 'name 3', 'name 5', 'name 7', 'name 9']
    )
    t.is(await table.get('recursive', 'AX2'), undefined)
    t.is((await table.get('recursive', 'AX4'))?.name, 'name 4')
    t.is(table.known('recursive', 'AX4') === 'unknown', mirrored < 9)
  }
})

test('pins that are in memory are listed without waiting for each, as they are when one waits', async t => {
  for (const withDirect of [false, true]) {
    const w = world()
    const [one, two, three] = [w.node(w.leaf('1')), w.node(w.leaf('2')), w.leaf('3')]
    await w.pins.add(one)
    if (withDirect) {
      await w.pins.add(two, { recursive: false, name: 'shadowed' })
      await w.pins.add(three, { recursive: false, name: 'direct' })
    }
    await w.pins.update(one, two, { unpin: false })
    for (const mode of [undefined, 'recursive', 'direct'] as const) {
      const waited = await all(w.pins.list({ mode }))
      const list = w.pins.list({ mode })
      t.deepEqual([...(list as Iterable<Pin>)], waited)
      t.is(waited.length, { all: withDirect ? 3 : 2, recursive: 2, direct: withDirect ? 2 : 0 }[mode ?? 'all'])
    }
  }
})

test('pins changed while the table is read into memory keep their newest state', async t => {
  const datastore = new MemoryDatastore()
  const before = new PinTable(datastore)
  for (let i = 0; i < 8; i++) await before.change({ put: [new PinRecord('recursive', `AX${i}`, 'old')] })
  let go = () => {}
  const held = new Promise<void>(resolve => {
    go = resolve
  })
  const query = datastore.query.bind(datastore)
  datastore.query = async function* (what, options) {
    // A snapshot, as a database gives it: what is written after it does not show.
    const pairs = await all(query(what, options))
    await held
    yield* pairs
  }
  const table = new PinTable(datastore)
  t.is((await table.get('recursive', 'AX1'))?.name, 'old')
  await table.change({ put: [new PinRecord('recursive', 'AX2', 'new')], remove: [new PinRecord('recursive', 'AX3', '')] })
  await table.change({ put: [new PinRecord('recursive', 'AX9', 'new')] })
  go()
  while (table.known('recursive', 'AX0') === 'unknown') await new Promise(setImmediate)
  t.deepEqual(
    (await all(table.list('recursive'))).map(({ id, name }) => `${id} ${name}`),
    ['AX0 old', 'AX1 old', 'AX2 new', 'AX4 old', 'AX5 old', 'AX6 old', 'AX7 old', 'AX9 new']
  )
})

test('a change that fails leaves the store in charge of what is true', async t => {
  const datastore = new MemoryDatastore()
  const table = new PinTable(datastore)
  await table.change({ put: [new PinRecord('recursive', 'AX1', 'one')] })
  const batch = datastore.batch.bind(datastore)
  datastore.batch = () => ({
    ...batch(),
    commit: async () => {
      throw new Error('disk')
    }
  })
  await t.throwsAsync(table.change({ remove: [new PinRecord('recursive', 'AX1', '')] }), { message: 'disk' })
  t.is((await table.get('recursive', 'AX1'))?.name, 'one')
  t.is(table.known('recursive', 'AX1'), 'unknown')
})
