import test from 'ava'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { CidList } from '../../../plugins/pins/walk/cid-list.ts'

test('a list has the CIDs that were put into it, of any length, and gives away the last ones', async t => {
  const bytes = (i: number) => Uint8Array.from(Array.from({ length: i }, (_, j) => j))
  const cids = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const digest = await sha256.digest(bytes(i))
      return [CID.createV1(0x70, digest), CID.createV1(0x71, identity.digest(bytes(i)) as never), CID.createV0(digest)][i % 3]!
    })
  )
  const list = new CidList()
  for (const cid of cids) list.push(cid)
  t.is(list.length, 100)
  t.deepEqual([...list].map(String), cids.map(String))
  t.is(list.at(100), undefined)
  t.deepEqual(list.takeLast(30).map(String), cids.slice(70).map(String))
  list.push(cids[0]!)
  t.deepEqual([...list].map(String), [...cids.slice(0, 70), cids[0]].map(String))
  t.is(list.takeLast(1000).length, 71)
  t.deepEqual(list.takeLast(1), [])
})
