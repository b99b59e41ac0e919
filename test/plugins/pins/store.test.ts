import test from 'ava'
import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import { seeded } from '../../helpers/random.ts'
import { all } from '../../helpers/streams.ts'
import { keys, pinned, tree, world } from './world.ts'

test('a pin is one key with its name, and is there after a restart', async t => {
  const w = world()
  const [one, two] = [w.leaf('one'), w.leaf('two')]
  await w.pins.add(one, { name: 'Füße' })
  await w.pins.add(two, { recursive: false })
  t.deepEqual(await keys(w.datastore), [
    `/pins/direct/${Buffer.from(two.bytes).toString('base64url')}`,
    `/pins/recursive/${Buffer.from(one.bytes).toString('base64url')}`
  ])
  const again = w.restarted()
  t.deepEqual(await pinned(again), [`${one} recursive Füße`, `${two} direct`].sort())
  const pin = await again.get(one)
  t.deepEqual([pin?.cid.toString(), pin?.text, pin?.mode, pin?.name], [one.toString(), one.toString(), 'recursive', 'Füße'])
  t.is(await again.get(w.leaf('three')), undefined)
})

test('a pin added again takes the new name, and none where none is given', async t => {
  const w = world()
  const one = w.leaf('one')
  await w.pins.add(one, { name: 'first' })
  await w.pins.add(one, { name: 'second' })
  t.deepEqual(await pinned(w.pins), [`${one} recursive second`])
  await w.pins.add(one)
  t.deepEqual(await pinned(w.pins), [`${one} recursive`])
})

test('a recursive pin takes the place of a direct one, and not the other way round', async t => {
  const w = world()
  const one = w.leaf('one')
  await w.pins.add(one, { recursive: false, name: 'direct' })
  await w.pins.add(one)
  t.deepEqual(await pinned(w.pins), [`${one} recursive`])
  await t.throwsAsync(w.pins.add(one, { recursive: false }), { code: 'E_PIN_RECURSIVE', message: `${one} already pinned recursively` })
})

test('what is not pinned, or only indirectly, cannot be unpinned; a recursive pin only as such', async t => {
  const w = world()
  const leaf = w.leaf('leaf')
  const root = w.node(leaf)
  await t.throwsAsync(w.pins.remove(root), { code: 'E_NOT_PINNED', message: 'not pinned or pinned indirectly' })
  await w.pins.add(root)
  await t.throwsAsync(w.pins.remove(leaf), { code: 'E_NOT_PINNED' })
  await t.throwsAsync(w.pins.remove(root, { recursive: false }), { code: 'E_PIN_IS_RECURSIVE', message: `${root} is pinned recursively` })
  await w.pins.remove(root)
  t.deepEqual(await keys(w.datastore), [])
})

test('changes in any order leave what the state machine of pins says', async t => {
  const w = world()
  const cids = Array.from({ length: 6 }, (_, i) => w.leaf(`leaf ${i}`))
  const model = new Map<string, string>()
  const random = seeded(7)
  for (let i = 0; i < 600; i++) {
    const cid = cids[random.below(cids.length)]!
    const to = cids[random.below(cids.length)]!
    const [id, target] = [cid.toString(), to.toString()]
    const name = `n${i}`
    const act = [
      () => w.pins.add(cid, { name }),
      () => w.pins.add(cid, { name, recursive: false }),
      () => w.pins.addWritten(cid, { name }),
      () => w.pins.remove(cid),
      () => w.pins.remove(cid, { recursive: false }),
      () => w.pins.update(cid, to),
      () => w.pins.update(cid, to, { unpin: false })
    ]
    const kind = random.below(act.length)
    const whole = model.get(`recursive ${id}`)
    const direct = model.get(`direct ${id}`)
    let fails = false
    if (kind === 0 || kind === 2) {
      model.set(`recursive ${id}`, name)
      model.delete(`direct ${id}`)
    } else if (kind === 1) {
      fails = whole !== undefined
      if (!fails) model.set(`direct ${id}`, name)
    } else if (kind === 3 || kind === 4) {
      fails = (whole === undefined && direct === undefined) || (kind === 4 && whole !== undefined)
      if (!fails) for (const mode of ['recursive', 'direct']) model.delete(`${mode} ${id}`)
    } else {
      fails = whole === undefined || (id !== target && model.has(`recursive ${target}`))
      if (!fails && id !== target) {
        model.set(`recursive ${target}`, whole!)
        if (kind === 5) model.delete(`recursive ${id}`)
      }
    }
    await (fails ? t.throwsAsync(act[kind]!()) : t.notThrowsAsync(act[kind]!()))
    const store = i % 10 === 0 ? w.restarted() : w.pins
    for (const mode of ['recursive', 'direct'] as const) {
      const found = (await all(store.list({ mode }))).map(pin => `${mode} ${pin.text} ${pin.name}`)
      t.deepEqual(
        found.sort(),
        [...model]
          .filter(([key]) => key.startsWith(mode))
          .map(([key, value]) => `${key} ${value}`)
          .sort()
      )
    }
    const once = (await all(store.list())).map(pin => pin.text)
    t.is(new Set(once).size, once.length)
    t.deepEqual(once.sort(), [...new Set([...model.keys()].map(key => key.split(' ')[1]!))].sort())
  }
})

test('lists come in the order of the bytes of the CIDs, from memory as from the store', async t => {
  const w = world()
  const cids = Array.from({ length: 40 }, (_, i) => w.leaf(`leaf ${i}`))
  await Promise.all(cids.map(cid => w.pins.add(cid)))
  const expected = cids.map(cid => Buffer.from(cid.bytes).toString('base64url')).sort()
  const order = async (pins: typeof w.pins) => (await all(pins.list())).map(({ cid }) => Buffer.from(cid.bytes).toString('base64url'))
  t.deepEqual(await order(w.pins), expected)
  t.deepEqual(await order(w.pins), expected)
  t.deepEqual(await order(w.restarted()), expected)
})

test('a pin is acknowledged when its blocks, then its one batch, are durable', async t => {
  const w = world()
  const steps: string[] = []
  const { datastore } = w
  const batch = datastore.batch.bind(datastore)
  datastore.batch = () => {
    const inner = batch()
    return {
      ...inner,
      commit: async options => {
        steps.push('commit')
        await inner.commit(options)
      }
    }
  }
  datastore.sync = async () => void steps.push('sync')
  datastore.put = async () => t.fail('a key outside a batch')
  const one = w.leaf('one')
  await w.pins.add(one, { recursive: false })
  t.deepEqual(steps.splice(0), ['commit', 'sync'])
  await w.pins.add(one)
  t.deepEqual(steps.splice(0), ['commit', 'sync'])
  await w.pins.update(one, w.leaf('two'))
  t.deepEqual(steps.splice(0), ['commit', 'sync'])
  await w.pins.remove(w.leaf('two'))
  t.deepEqual(steps.splice(0), ['commit', 'sync'])
})

test('a re-pin that finds a block missing for good ends the pin; one that is left does not', async t => {
  const w = world()
  const { root, cids } = tree(w, 3, 2)
  await w.pins.add(root, { name: 'kept' })
  const leave = new AbortController()
  w.blocks.beforeRead = count => {
    if (count % 4 === 0) leave.abort(new Error('left'))
  }
  await t.throwsAsync(w.pins.add(root, { signal: leave.signal }), { message: 'left' })
  t.deepEqual(await pinned(w.pins), [`${root} recursive kept`])
  w.blocks.beforeRead = () => {}
  await w.blocks.delete(CID.parse(cids[1]!))
  await t.throwsAsync(w.pins.add(root), { code: 'E_BLOCK_NOT_FOUND' })
  t.deepEqual(await pinned(w.pins), [])
})

test('what fails over a direct pin leaves it as it was', async t => {
  const w = world()
  const { root, cids } = tree(w, 3, 1)
  await w.pins.add(root, { recursive: false, name: 'root only' })
  await w.blocks.delete(CID.parse(cids[1]!))
  await t.throwsAsync(w.pins.add(root), { code: 'E_BLOCK_NOT_FOUND' })
  t.deepEqual(await pinned(w.pins), [`${root} direct root only`])
})

test('a node keeps the empty directory from its first start on, until it is unpinned', async t => {
  const w = world()
  await w.pins.start()
  t.deepEqual(await pinned(w.pins), ['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn recursive'])
  const cid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  t.deepEqual(w.dag.links(cid, await w.blocks.get(cid)), [])
  await w.pins.remove(cid)
  const again = w.restarted()
  await again.start()
  t.deepEqual(await pinned(again), [])
})

test('pins of a later format are refused', async t => {
  const w = world()
  await w.datastore.put(new Key('/pins/format'), Uint8Array.of(9))
  await t.throwsAsync(w.pins.start(), { code: 'E_PINS_FORMAT', message: 'pins are stored in format 9; this version knows 1' })
})

test('a pin that is only wanted where there is none leaves the one that is there, and one is removed by its name alone', async t => {
  const w = world()
  const root = w.node(w.leaf('a'), w.leaf('b'))
  const { pins } = w
  await pins.add(root, { name: 'mine' })
  await pins.add(root, { name: 'other', unlessPinned: true })
  t.deepEqual(await pinned(pins), [`${root} recursive mine`])
  await t.throwsAsync(pins.remove(root, { name: 'other' }), { code: 'E_NOT_PINNED' })
  await pins.remove(root, { name: 'mine' })
  await pins.add(root, { name: 'other', unlessPinned: true })
  t.deepEqual(await pinned(pins), [`${root} recursive other`])
  // one that is made while the other is fetched wins
  const slow = w.node(w.leaf('c'))
  let isMade = false
  w.blocks.beforeRead = async (_, __, cid) => {
    if (isMade || !cid.equals(slow)) return
    isMade = true
    await pins.addWritten(slow, { name: 'mine' })
  }
  await pins.add(slow, { name: 'other', unlessPinned: true })
  t.true((await pinned(pins)).includes(`${slow} recursive mine`))
})
