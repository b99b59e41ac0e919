import test from 'ava'
import type { CID } from 'multiformats/cid'
import { type Attack, attacks, failed } from '../support/attack.ts'
import { DAG_PB, fieldOf, Made, RAW, stored, unixfs } from '../support/blocks.ts'

const MIB = 1 << 20

/** A shard 1,024 wide of these entries, each behind the number of its slot. */
function shard(made: Made, entries: ReadonlyArray<readonly [name: string, cid: CID]>): Promise<CID> {
  const data = unixfs({ type: 5, hash: 0x22, fanout: 1024n, data: fieldOf(entries.keys(), 1024) })
  const slot = (i: number) => i.toString(16).toUpperCase().padStart(3, '0')
  return made.pb(
    data,
    entries.map(([name, cid], i) => [slot(i) + name, cid, 1])
  )
}

const times = (count: number, cid: CID, name: (i: number) => string = () => '') =>
  Array.from({ length: count }, (_, i) => [name(i), cid] as const)

const empty = (cid: CID) => `the shard ${cid} below another one has no entries`
/** Of names in shards that many lead to, one at most is where its hash leads. */
const MISPLACED = /the entry '\w+(\.\.\.)?' stands in the shard \w+, where its hash does not lead/
const LISTING =
  'ls: the listing is longer than 67108864 bytes, the most that this node collects (plugins.content.maxListing): ask for a stream of it'

const list: readonly Attack[] = [
  {
    name: 'a folder of 300^6 shards without an entry, in 64 KiB of blocks',
    async make(target) {
      const made = new Made()
      const bottom = await shard(made, [])
      let cid = bottom
      for (let level = 0; level < 6; level++) cid = await shard(made, times(300, cid))
      await made.into(target)
      return [
        { path: `ls?arg=${cid}`, expect: { status: 500, text: failed(empty(bottom)) } },
        { path: `ls?stream=true&arg=${cid}`, expect: { status: 500, text: failed(empty(bottom)) } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 0, error: empty(bottom) } },
        { path: `refs?recursive=true&unique=true&arg=${cid}`, expect: { status: 200, lines: 6 } },
        { path: `ls?arg=${cid}/a`, expect: { status: 500, text: failed(`no link named "a" under ${cid}`) } }
      ]
    }
  },
  {
    name: 'a folder of 300^5 entries in 64 KiB of blocks',
    memory: 128,
    patience: 120,
    async make(target) {
      const made = new Made()
      const leaf = await made.add(RAW, Buffer.from('x'))
      let cid = await shard(
        made,
        times(300, leaf, i => `n${i}`)
      )
      for (let level = 0; level < 4; level++) cid = await shard(made, times(300, cid))
      await made.into(target)
      return [
        { path: `ls?arg=${cid}`, expect: { status: 500, text: MISPLACED } },
        { path: `ls?stream=true&arg=${cid}`, expect: { status: 500, text: MISPLACED } },
        { path: `files/cp?arg=/ipfs/${cid}&arg=/entries`, expect: { status: 200 } },
        { path: 'files/ls?arg=/entries', expect: { status: 500, text: MISPLACED } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 0, error: MISPLACED } }
      ]
    }
  },
  {
    name: 'a folder of 1,024 names of half a megabyte, in one of them',
    memory: 160,
    async make(target) {
      const made = new Made()
      const leaf = await made.add(RAW, Buffer.from('x'))
      const long = await shard(made, [['n'.repeat(MIB / 2), leaf]])
      const cid = await shard(made, times(1024, long))
      await made.into(target)
      return [
        { path: `ls?stream=true&arg=${cid}`, expect: { status: 500, text: MISPLACED } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 0, error: MISPLACED } },
        { path: `refs?recursive=true&format=<linkname>&arg=${cid}`, leave: 16 * MIB, expect: { status: 200 } }
      ]
    }
  },
  {
    name: 'a folder of 4,000 symlinks to 64 KiB of text, in one of them',
    memory: 200,
    async make(target) {
      const made = new Made()
      const link = await made.pb(unixfs({ type: 4, data: Buffer.alloc(64 << 10, 120) }))
      const cid = await made.pb(
        unixfs({ type: 1 }),
        times(4000, link, i => `n${i}`).map(([name]) => [name, link, 1])
      )
      await made.into(target)
      return [
        { path: `ls?stream=true&arg=${cid}`, leave: 16 * MIB, expect: { status: 200 } },
        { path: `ls?arg=${cid}`, expect: { status: 500, text: failed(LISTING) } },
        { path: `get?arg=${cid}`, leave: 16 * MIB, expect: { status: 200 } }
      ]
    }
  },
  {
    name: 'a folder of 130,000 entries in one block',
    memory: 260,
    async make(target) {
      const links = '\x12\x06\x0a\x04\x01\x55\x00\x00'.repeat(130_000)
      const cid = await stored(target, DAG_PB, Buffer.from(`${links}\x0a\x02\x08\x01`, 'latin1'))
      return [
        { path: `ls?resolve-type=false&size=false&arg=${cid}`, expect: { status: 200 } },
        { path: `ls?encoding=text&arg=${cid}`, expect: { status: 200, bytes: 130_000 * 'bafkqaaa 0 \n'.length } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 0, error: /is called "", which is no name of a file/ } }
      ]
    }
  },
  {
    name: 'references in a format that is a name 100,000 times',
    async make(target) {
      const made = new Made()
      const leaf = await made.add(RAW, Buffer.from('x'))
      const cid = await made.pb(unixfs({ type: 1 }), [['n'.repeat(MIB / 2), leaf, 1]])
      await made.into(target)
      const Err = 'refs: a reference in this format is longer than 4194304 characters, the most that this node writes'
      const text = `${JSON.stringify({ Ref: '', Err })}\n`
      return [10, 100_000].map(count => ({ path: `refs?format=${'<linkname>'.repeat(count)}&arg=${cid}`, expect: { status: 200, text } }))
    }
  }
]

attacks(test, list)
