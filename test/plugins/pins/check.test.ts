import test from 'ava'
import { CID } from 'multiformats/cid'
import type { FoundBlock } from '../../../core/index.ts'
import { checkPins } from '../../../plugins/pins/check.ts'
import { all } from '../../helpers/streams.ts'
import { tree, type World, world } from './world.ts'

/** A sequence that is the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** Has several blocks answered as a store may answer: at once, later, or not at all. */
function readsTogether(w: World, next: (below: number) => number): void {
  w.blocks.readAll = async cids =>
    cids.map((cid): FoundBlock => {
      const how = next(4)
      const bytes = w.blocks.peek(cid)
      if (how === 0 || bytes === undefined) return how === 1 ? Promise.resolve(undefined) : undefined
      if (how === 1) return next(3) === 0 ? Promise.reject(new Error('not together')) : Promise.resolve(bytes)
      w.blocks.reads.push(cid.toString())
      return bytes
    })
}

const found = async (w: World, options = {}) =>
  (await all(checkPins(w.pins, w.blocks, w.dag, options))).map(({ cid, bad }) => [`${cid}`, bad.map(node => `${node.cid}`)] as const)

/** What cannot be used below a root, depth first, each once. */
function expected(w: World, root: CID, isBroken: (cid: CID) => boolean): string[] {
  const bad: string[] = []
  const seen = new Set<string>()
  const go = (cid: CID): void => {
    if (seen.has(`${cid}`)) return
    seen.add(`${cid}`)
    if (isBroken(cid)) bad.push(`${cid}`)
    else for (const link of w.dag.links(cid, w.blocks.peek(cid)!)) go(link.cid)
  }
  go(root)
  return bad
}

test('a check names what is missing or broken in the order of the graph, however its blocks are answered and however little is held', async t => {
  for (let seed = 1; seed <= 12; seed++) {
    const next = random(seed)
    const w = world()
    const [width, depth] = [
      [2, 6],
      [7, 3],
      [40, 2],
      [600, 1]
    ][seed % 4]!
    const { root, cids } = tree(w, width!, depth!, `tree ${seed}`)
    await w.pins.add(root)
    const broken = new Set(cids.filter(text => text !== `${root}` && next(20) === 0))
    for (const text of broken) {
      const cid = CID.parse(text)
      if (cid.code === 0x55 || next(2) === 0) await w.blocks.delete(cid)
      else await w.blocks.put(cid, Uint8Array.of(0xff))
    }
    const bad = expected(w, root, cid => broken.has(`${cid}`))
    t.true(bad.length > 0)
    t.deepEqual(await found(w), [[`${root}`, bad]])
    readsTogether(w, next)
    for (const most of [undefined, 0, 1000]) t.deepEqual(await found(w, { ...(most !== undefined && { most }) }), [[`${root}`, bad]])
  }
})

test('a check names for each pin what it reaches, whatever the pins share and in whatever order they come', async t => {
  for (let seed = 1; seed <= 20; seed++) {
    const next = random(seed)
    const w = world()
    const nodes: CID[] = Array.from({ length: 30 }, (_, i) => w.leaf(`leaf ${seed} ${i}`))
    for (let i = 0; i < 60; i++) {
      const links = Array.from({ length: 1 + next(6) }, () => nodes[Math.max(0, nodes.length - 1 - next(40))]!)
      nodes.push(w.node(...links))
    }
    for (let i = 0; i < 12; i++) await w.pins.add(nodes[next(nodes.length)]!)
    const broken = new Set(nodes.filter(() => next(25) === 0).map(String))
    for (const text of broken) await w.blocks.delete(CID.parse(text))
    if (seed % 2 === 0) readsTogether(w, next)
    const sorted = [...(await found(w, { ...(seed % 3 === 0 && { most: 0 }) }))].map(([root, bad]) => [root, bad.toSorted()] as const)
    for (const [root, bad] of sorted) t.deepEqual(bad, expected(w, CID.parse(root), cid => broken.has(`${cid}`)).sort())
    t.is(sorted.length, (await all(w.pins.list({ mode: 'recursive' }))).length)
  }
})

test('a check reads what whole pins share once, and a chain of any length', async t => {
  const w = world()
  let chain = w.leaf('end')
  for (let i = 0; i < 5000; i++) chain = w.node(chain)
  const other = w.node(w.leaf('other'), chain)
  for (const root of [chain, other]) await w.pins.add(root)
  w.blocks.reads.length = 0
  t.deepEqual(
    (await found(w)).map(([, bad]) => bad),
    [[], []]
  )
  t.is(w.blocks.reads.length, 5003)
})

test('a check ends with the reason of its signal', async t => {
  const w = world()
  const { root } = tree(w, 40, 2)
  await w.pins.add(root)
  const leave = new AbortController()
  const before = w.blocks.reads.length
  w.blocks.beforeRead = count => {
    if (count - before > 60) leave.abort(new Error('left'))
  }
  await t.throwsAsync(found(w, { signal: leave.signal }), { message: 'left' })
  t.true(w.blocks.reads.length - before < 300)
})
