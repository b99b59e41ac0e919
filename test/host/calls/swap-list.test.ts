import { getHeapSpaceStatistics } from 'node:v8'
import test from 'ava'
import { type Listed, SwapList } from '../../../host/calls/swap-list.ts'
import { collectGarbage } from '../../helpers/memory.ts'

class Item implements Listed {
  at = -1
  readonly held = new Array(64).fill(0)
}

test('what was added and not deleted is there, in any order', t => {
  const list = new SwapList<Item>()
  const [a, b, c, d] = [new Item(), new Item(), new Item(), new Item()]
  for (const item of [a, b, c]) list.add(item)
  t.is(list.size, 3)
  t.true(list.delete(a))
  t.false(list.delete(a))
  t.false(list.delete(d))
  t.deepEqual(
    [b, c].map(item => [...list].includes(item)),
    [true, true]
  )
  t.is([...list].length, 2)
  list.add(a)
  t.true(list.delete(c))
  t.true(list.delete(a))
  t.true(list.delete(b))
  t.is(list.size, 0)
})

test('what leaves while the list is walked is still visited', t => {
  const list = new SwapList<Item>()
  const items = [new Item(), new Item(), new Item()]
  for (const item of items) list.add(item)
  const seen: Item[] = []
  for (const item of list) {
    seen.push(item)
    list.delete(item)
  }
  t.deepEqual(seen, items)
  t.is(list.size, 0)
})

test('what has left is not kept until the whole heap is collected', t => {
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
  const list = new SwapList<Item>()
  collectGarbage()
  const before = oldBytes()
  const running: Item[] = []
  for (let i = 0; i < 100_000; i++) {
    const item = new Item()
    list.add(item)
    running.push(item)
    if (running.length > 32) list.delete(running.shift()!)
  }
  t.true(oldBytes() - before < 4 << 20)
})
