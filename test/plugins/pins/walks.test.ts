import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { SeenCids } from '../../../core/dag/walk/seen-cids.ts'
import { Graph } from '../../../plugins/pins/walk/graph.ts'
import { VisitedCids } from '../../../plugins/pins/walk/visited.ts'
import { GraphWalk } from '../../../plugins/pins/walk/walk.ts'
import { all } from '../../helpers/streams.ts'
import { keys, pinned, tree, type World, world } from './world.ts'

/** Ends the walk under way once `after` blocks were read. */
function leaveAfter({ blocks }: World, after: number): AbortSignal {
  const leave = new AbortController()
  const start = blocks.reads.length
  blocks.beforeRead = count => {
    if (count - start >= after) leave.abort(new Error('left'))
  }
  return leave.signal
}

/** An add that is left on the way, and what it leaves behind. */
async function interrupted(t: ExecutionContext, w: World, root: CID, after: number): Promise<string[]> {
  const signal = leaveAfter(w, after)
  await t.throwsAsync(w.pins.add(root, { signal }), { message: 'left' })
  await w.pins.stop()
  return keys(w.datastore, '/pins/progress/')
}

function reset({ blocks }: World): void {
  blocks.beforeRead = () => {}
  blocks.reads.length = 0
}

test('every node of a graph is looked at once, however many link to it', async t => {
  const w = world()
  const shared = tree(w, 4, 2, 'shared')
  const root = w.node(shared.root, w.node(shared.root), w.node(w.leaf('own'), shared.root))
  await w.pins.add(root)
  const counts = new Map<string, number>()
  for (const read of w.blocks.reads) counts.set(read, (counts.get(read) ?? 0) + 1)
  t.is(counts.size, shared.cids.length + 4)
  // The one node whose load was begun twice ahead of its turn apart, each is read once.
  t.true(w.blocks.reads.length <= counts.size + 2)
})

test('two adds of one root share the walk, each with its own progress, and the last name stands', async t => {
  const w = world()
  const { root, cids } = tree(w, 5, 3)
  const counts: [number[], number[]] = [[], []]
  await Promise.all([
    w.pins.add(root, { onProgress: nodes => counts[0].push(nodes), name: 'a' }),
    w.pins.add(root, { onProgress: nodes => counts[1].push(nodes), name: 'a' })
  ])
  t.is(w.blocks.reads.length, cids.length)
  t.deepEqual(
    counts[0],
    Array.from(cids, (_, i) => i + 1)
  )
  t.deepEqual(counts[1], counts[0])
  t.deepEqual(await pinned(w.pins), [`${root} recursive a`])
})

test('one who leaves a shared walk does not end it for the other', async t => {
  const w = world()
  const { root, cids } = tree(w, 5, 3)
  const signal = leaveAfter(w, 20)
  const [left, stayed] = await Promise.allSettled([w.pins.add(root, { signal }), w.pins.add(root)])
  t.is(left.status, 'rejected')
  t.is(stayed.status, 'fulfilled')
  t.is(w.blocks.reads.length, cids.length)
  t.deepEqual(await pinned(w.pins), [`${root} recursive`])
})

test('the walk of one root holds up neither other roots nor the removal of its own pin', async t => {
  const w = world()
  const { root } = tree(w, 5, 2)
  const other = w.leaf('other')
  await w.pins.add(root, { name: 'before' })
  let go = () => {}
  const held = new Promise<void>(resolve => {
    go = resolve
  })
  w.blocks.beforeRead = (_count, _options, cid) => (cid.equals(other) ? undefined : held)
  const adding = w.pins.add(root, { name: 'after' })
  await w.pins.add(other)
  await w.pins.remove(root)
  t.deepEqual(await pinned(w.pins), [`${other} recursive`])
  go()
  await adding
  t.deepEqual(await pinned(w.pins), [`${other} recursive`, `${root} recursive after`].sort())
})

test('an interrupted add resumes over what it walked, in the same process and in the next', async t => {
  for (const restart of [false, true]) {
    const w = world()
    const { root, cids } = tree(w, 6, 4)
    t.is((await interrupted(t, w, root, 1000)).length, 1)
    const first = new Set(w.blocks.reads)
    reset(w)
    const pins = restart ? w.restarted() : w.pins
    const counts: number[] = []
    await pins.add(root, { onProgress: nodes => counts.push(nodes) })
    // What is left, the nodes on the way down to it, and what had been loaded ahead.
    t.true(w.blocks.reads.length <= cids.length - first.size + 4 + 40, `${w.blocks.reads.length} reads of ${cids.length}`)
    t.is(counts.at(-1), cids.length)
    t.deepEqual(await keys(w.datastore, '/pins/progress/'), [])
    t.deepEqual(await pinned(pins), [`${root} recursive`])
  }
})

test('an add whose process died resumes at its last note', async t => {
  const w = world()
  const { root, cids } = tree(w, 6, 4)
  w.blocks.beforeRead = count => (count > 1200 ? new Promise(() => {}) : undefined)
  const dead = w.pins.add(root)
  dead.catch(() => {})
  while (w.blocks.reads.length <= 1200) await new Promise(setImmediate)
  reset(w)
  const pins = w.restarted()
  await pins.add(root)
  t.true(w.blocks.reads.length < cids.length - 1000 + 60, `${w.blocks.reads.length} reads of ${cids.length}`)
  t.deepEqual(await pinned(pins), [`${root} recursive`])
})

test('a block that is missing for good ends an add, which resumes once it is there', async t => {
  const w = world()
  const { root, cids } = tree(w, 6, 3)
  const lost = w.leaf('tree/5/5/5')
  const bytes = await w.blocks.get(lost)
  await w.blocks.delete(lost)
  await t.throwsAsync(w.pins.add(root), { code: 'E_BLOCK_NOT_FOUND' })
  reset(w)
  await w.blocks.put(lost, bytes)
  await w.pins.add(root)
  t.true(w.blocks.reads.length < 12, `${w.blocks.reads.length} reads of ${cids.length}`)
})

test('once blocks are about to go, an interrupted add looks at everything again', async t => {
  const w = world()
  const { root, cids } = tree(w, 6, 3)
  t.is((await interrupted(t, w, root, 150)).length, 1)
  await w.pins.forgetProgress()
  t.deepEqual(await keys(w.datastore), [])
  const lost = w.leaf('tree/0/0/0')
  const bytes = await w.blocks.get(lost)
  await w.blocks.delete(lost)
  await t.throwsAsync(w.pins.add(root), { code: 'E_BLOCK_NOT_FOUND', message: /could not find/ })
  await w.blocks.put(lost, bytes)
  await w.pins.forgetProgress()
  reset(w)
  await w.pins.add(root)
  t.true(w.blocks.reads.length >= cids.length)
})

test('a walk that was begun before everything was forgotten leaves no note', async t => {
  const w = world()
  const { root } = tree(w, 6, 3)
  const signal = leaveAfter(w, 200)
  const before = w.blocks.beforeRead
  w.blocks.beforeRead = async (count, options, cid) => {
    if (count === 100) await w.pins.forgetProgress()
    await before(count, options, cid)
  }
  await t.throwsAsync(w.pins.add(root, { signal }), { message: 'left' })
  await w.pins.stop()
  t.deepEqual(await keys(w.datastore), [])
})

test('a note that no longer can be followed is of no account', async t => {
  const w = world()
  const { root } = tree(w, 6, 3)
  t.is((await interrupted(t, w, root, 150)).length, 1)
  const [key] = await all(w.datastore.queryKeys({ prefix: '/pins/progress/' }))
  const note = JSON.parse(Buffer.from(await w.datastore.get(key!)).toString())
  note.frames = [[Buffer.from(w.leaf('gone').bytes).toString('base64url'), 0], ...note.frames]
  await w.blocks.delete(w.leaf('gone'))
  await w.datastore.put(key!, Buffer.from(JSON.stringify(note)))
  reset(w)
  await w.pins.add(root, { offline: true })
  t.deepEqual(await pinned(w.pins), [`${root} recursive`])
})

test('missing blocks are fetched, unless the call is offline', async t => {
  const w = world()
  const { root, cids } = tree(w, 3, 2)
  for (const [key, bytes] of w.blocks.stored) w.blocks.remote.set(key, bytes)
  w.blocks.stored.clear()
  await t.throwsAsync(w.pins.add(root, { offline: true }), { code: 'E_BLOCK_NOT_FOUND' })
  t.is(w.blocks.stored.size, 0)
  await w.pins.add(root)
  t.is(w.blocks.stored.size, cids.length)
})

test('a chain of any length keeps one frame, and the note of a deep graph stays small', async t => {
  const w = world()
  let chain = w.leaf('end')
  for (let i = 0; i < 3000; i++) chain = w.node(chain)
  const children = (cid: CID) =>
    cid.code === 0x55 ? [] : w.dag.links(cid, w.blocks.stored.get(Buffer.from(cid.multihash.bytes).toString('hex'))!).map(link => link.cid)
  const walk = new GraphWalk([{ cid: chain, links: children(chain), next: 0 }], children, { seen: new SeenCids() })
  let most = 0
  let count = 0
  for await (const _ of walk.visits()) {
    most = Math.max(most, walk.frames.length)
    count++
  }
  t.deepEqual([count, most], [3000, 1])

  let deep = w.leaf('end')
  for (let i = 0; i < 3000; i++) deep = w.node(deep, w.leaf(`after ${i}`))
  t.is((await interrupted(t, w, deep, 2900)).length, 1)
  const [key] = await all(w.datastore.queryKeys({ prefix: '/pins/progress/' }))
  t.true((await w.datastore.get(key!)).length < 65_536)
  reset(w)
  await w.pins.add(deep)
  t.deepEqual(await pinned(w.pins), [`${deep} recursive`])
})

test('leaves are looked for together, and only those that are not here one by one', async t => {
  const w = world()
  const leaves = Array.from({ length: 600 }, (_, i) => w.leaf(`leaf ${i}`))
  const inner = w.node(...leaves.slice(300, 310), w.node(w.leaf('below')), ...leaves.slice(310, 320))
  const root = w.node(...leaves.slice(0, 10), inner, ...leaves)
  const [lost, remote] = [leaves[5]!, leaves[590]!]
  const asked: CID[] = []
  w.blocks.hasAll = async cids => {
    asked.push(...cids)
    return cids.map(cid => w.blocks.stored.has(Buffer.from(cid.multihash.bytes).toString('hex')))
  }
  const bytes = new Map<CID, Uint8Array>()
  for (const cid of [lost, remote]) bytes.set(cid, await w.blocks.get(cid))
  for (const cid of [lost, remote]) await w.blocks.delete(cid)
  await t.throwsAsync(w.pins.add(root, { offline: true }), { code: 'E_BLOCK_NOT_FOUND', message: new RegExp(lost.toString()) })
  await w.blocks.put(lost, bytes.get(lost)!)
  w.blocks.remote.set(Buffer.from(remote.multihash.bytes).toString('hex'), bytes.get(remote)!)
  reset(w)
  asked.length = 0
  const counts: number[] = []
  await w.pins.add(root, { onProgress: nodes => counts.push(nodes) })
  t.is(counts.at(-1), 600 + 4)
  t.true(asked.every(cid => cid.code === 0x55))
  t.true(asked.length < 900, `${asked.length} asked`)
  const nodes = w.blocks.reads.filter(text => CID.parse(text).code !== 0x55)
  t.is(new Set(nodes).size, 3)
  t.deepEqual([...new Set(w.blocks.reads.filter(text => !nodes.includes(text)))], [remote.toString()])
  t.deepEqual(await pinned(w.pins), [`${root} recursive`])
})

test('a leaf under a hash that a node must not take is refused, though leaves are looked for together', async t => {
  const w = world()
  w.blocks.hasAll = async cids => cids.map(() => true)
  const insecure = CID.createV1(0x55, create(0xd5, new Uint8Array(16)))
  await t.throwsAsync(w.pins.add(w.node(w.leaf('one'), insecure)), { code: 'E_HASH_INSECURE' })
})

test('of nodes with many links few load ahead', async t => {
  const w = world()
  const leaves = Array.from({ length: 300 }, (_, i) => w.leaf(`${i}`))
  const nodes = leaves.slice(0, 30).map(leaf => w.node(leaf, ...leaves))
  const children = new Graph(w.blocks, w.dag).linking({})
  let loaded = 0
  const counted: typeof children = (cid, options) => {
    if (cid.code !== 0x55) loaded++
    return children(cid, options)
  }
  let visited = 0
  let most = 0
  const root = { cid: leaves[0]!, links: [...nodes, ...leaves], next: 0 }
  for await (const cid of new GraphWalk([root], counted, { seen: new VisitedCids() }).visits()) {
    if (cid.code !== 0x55) visited++
    most = Math.max(most, loaded - visited)
  }
  t.deepEqual([visited, loaded], [30, 30])
  t.is(most, 4)
})

test('a walk tells CIDs apart that name one block in several ways', t => {
  const { multihash } = world().leaf('one')
  const cids = [CID.createV0(multihash as never), CID.createV1(0x70, multihash), CID.createV1(0x55, multihash)]
  const seen = new VisitedCids()
  for (const cid of cids) {
    t.false(seen.has(cid))
    seen.add(cid)
    t.true(seen.has(CID.parse(cid.toString())))
  }
})

test('nodes load ahead of their turn, some at a time', async t => {
  const w = world()
  const { root } = tree(w, 40, 1)
  let [waiting, most] = [0, 0]
  w.blocks.has = async () => {
    most = Math.max(most, ++waiting)
    await new Promise(setImmediate)
    waiting--
    return true
  }
  await w.pins.add(root)
  t.is(most, 32)
})
