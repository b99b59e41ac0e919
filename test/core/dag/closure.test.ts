import test from 'ava'
import type { CID } from 'multiformats/cid'
import { sumCid } from '../../../core/cid/sum.ts'
import { Closure } from '../../../core/dag/walk/closure.ts'

const cidOf = (name: string) => sumCid({ version: 1, codec: 0x71, hash: 0x12 }, Buffer.from(name))
const [root, left, right] = [cidOf('root'), cidOf('left'), cidOf('right')]

function closure(...blocks: Array<[CID, ...CID[]]>): Closure {
  const all = new Closure()
  for (const [cid, ...links] of blocks) {
    all.add(
      cid,
      links.map(link => ({ cid: link, name: '' }))
    )
  }
  return all
}

test('a graph is whole once all that it links to came, in any order', t => {
  t.true(closure([root, left, right], [left, right], [right]).holds(root))
  t.true(closure([right], [left, right], [root, left, right]).holds(root))
  t.false(closure([root, left, right], [left]).holds(root))
  t.false(closure([left], [right]).holds(root))
  t.false(closure().holds(root))
})

test('what would take too much memory is not told to be whole', t => {
  const links = Array.from({ length: 200_000 }, (_, i) => ({ cid: cidOf(String(i)), name: '' }))
  const all = new Closure()
  all.add(root, [])
  t.true(all.holds(root))
  all.add(left, links)
  t.false(all.holds(root))
})
