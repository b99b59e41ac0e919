import test from 'ava'
import { importer } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'
import { type DirectoryLink, findEntry, listDirectory } from '../../../../core/unixfs/export/directory.ts'
import { type DirectoryNode, openNode } from '../../../../core/unixfs/export/node.ts'
import { hashOfName } from '../../../../core/unixfs/hash-of-name.ts'
import { Blocks, fieldOf, noise, sourcesOf, unixfs } from './blocks.ts'

const HAMTShard = 5
const MURMUR3 = 0x22

async function folder(blocks: Blocks, names: readonly string[], options: Parameters<typeof importer>[2] = {}): Promise<CID> {
  const files = names.map(name => ({ path: `d/${name}`, content: Buffer.from(`${name.slice(4)}\n`) }))
  let last: CID | undefined
  for await (const { cid } of importer(files, blocks as never, { cidVersion: 0, rawLeaves: false, ...options })) last = cid
  return last!
}

async function open(blocks: Blocks, cid: CID): Promise<DirectoryNode> {
  const node = await openNode(cid, sourcesOf(blocks))
  if (node.type !== 'directory') throw new TypeError(`a ${node.type}`)
  return node
}

async function list(blocks: Blocks, cid: CID): Promise<DirectoryLink[]> {
  const entries: DirectoryLink[] = []
  for await (const batch of listDirectory(await open(blocks, cid), sourcesOf(blocks))) entries.push(...batch)
  return entries
}

const names = Array.from({ length: 2000 }, (_, i) => `file${i + 1}`)

test('entries of a plain directory come in stored order', async t => {
  const blocks = new Blocks()
  const cid = await folder(blocks, names)
  t.is(cid.toString(), 'QmavrTrQG4VhoJmantURAYuw3bowq3E2WcvP36NRQDAC1N')
  const entries = await list(blocks, cid)
  t.deepEqual(
    entries.map(entry => entry.name),
    names.toSorted()
  )
  t.deepEqual(new Set(entries.map(entry => Number(entry.size))), new Set([10, 11, 12, 13]))
})

test('a sharded directory has the same entries, its shards loading ahead', async t => {
  const blocks = new Blocks()
  const cid = await folder(blocks, names, { shardSplitThresholdBytes: 1 })
  t.is(cid.toString(), 'QmSCJD1KYLhVVHqBK3YyXuoEqHt7vggyJhzoFYbT8v1XYL')
  const entries = await list(blocks, cid)
  t.deepEqual(entries.map(entry => entry.name).toSorted(), names.toSorted())
  t.true(blocks.mostOpen > 8)
})

test('an entry of a sharded directory is found by reading only the shards on its way', async t => {
  const blocks = new Blocks()
  const directory = await open(blocks, await folder(blocks, names, { shardSplitThresholdBytes: 1 }))
  const entries = new Map((await list(blocks, directory.cid)).map(entry => [entry.name, entry.cid.toString()]))
  for (const name of ['file1', 'file77', 'file1999', 'file2000']) {
    blocks.asked.length = 0
    t.is((await findEntry(directory, name, sourcesOf(blocks)))?.toString(), entries.get(name))
    t.true(blocks.asked.length <= 2)
  }
  t.is(await findEntry(directory, 'file2001', sourcesOf(blocks)), undefined)
  t.is(await findEntry(directory, '', sourcesOf(blocks)), undefined)
})

test('what was listed before a missing shard is kept, then the listing fails', async t => {
  const blocks = new Blocks()
  const directory = await open(blocks, await folder(blocks, names, { shardSplitThresholdBytes: 1 }))
  blocks.delete(directory.root.node.cid(100))
  const seen: DirectoryLink[] = []
  const all = async () => {
    for await (const batch of listDirectory(directory, sourcesOf(blocks))) seen.push(...batch)
  }
  await t.throwsAsync(all, { message: 'failed to fetch all nodes' })
  t.true(seen.length > 500 && seen.length < 1900, String(seen.length))
})

const refused = {
  'a width of 2^31': [{ fanout: 1n << 31n }, 'hamt witdh (2147483648) exceed maximum allowed (1024)'],
  'a width of 2^60': [{ fanout: 1n << 60n }, 'hamt witdh (1152921504606846976) exceed maximum allowed (1024)'],
  'a width of 2048': [{ fanout: 2048n }, 'hamt witdh (2048) exceed maximum allowed (1024)'],
  'a width of 3': [{ fanout: 3n }, 'hamt size should be a power of two'],
  'a width of 0': [{ fanout: 0n }, 'hamt size should be a power of two'],
  'no width': [{}, 'hamt size should be a power of two'],
  'a width of 4': [{ fanout: 4n }, 'bitfield size must be a multiple of 8; got 4'],
  'another hash': [{ fanout: 256n, hash: 0x12 }, 'only murmur3 supported as hash function']
} as const

for (const [what, [fields, message]] of Object.entries(refused)) {
  test(`a shard with ${what} is refused before it is used`, async t => {
    const blocks = new Blocks()
    const cid = await blocks.pb(unixfs({ type: HAMTShard, hash: MURMUR3, ...fields }))
    await t.throwsAsync(open(blocks, cid), { message })
    const parent = unixfs({ type: HAMTShard, hash: MURMUR3, fanout: 256n, data: Uint8Array.of(1) })
    await t.throwsAsync(list(blocks, await blocks.pb(parent, [['00', cid, 1]])), { message })
  })
}

test('a shard whose links have no room for a slot, or too few of them, is refused', async t => {
  const blocks = new Blocks()
  const leaf = await blocks.pb(unixfs({ type: 2, data: noise(3) }))
  const shard = (name: string, bits: Uint8Array) =>
    blocks.pb(unixfs({ type: HAMTShard, hash: MURMUR3, fanout: 256n, data: bits }), [[name, leaf, 1]])
  await t.throwsAsync(list(blocks, await shard('0', Uint8Array.of(1))), { message: "invalid link name '0'" })
  const crowded = await shard('FFa', new Uint8Array(32).fill(255))
  await t.throwsAsync(open(blocks, crowded), { message: `the shard ${crowded} has 1 links, and 256 by its bit field` })
  const other = await shard('01a', Uint8Array.of(1))
  await t.throwsAsync(list(blocks, other), { message: `the link '01a' of the shard ${other} stands in slot 00` })
})

test('an entry is where the hash of its name leads, or the listing names it', async t => {
  const blocks = new Blocks()
  const leaf = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  const of = (links: ReadonlyArray<readonly [string, CID]>, fanout = 256n) => {
    const field = fieldOf(
      links.map(([link]) => Number.parseInt(link.slice(0, fanout === 256n ? 2 : 1), 16)),
      Number(fanout)
    )
    const node = unixfs({ type: HAMTShard, hash: MURMUR3, fanout, data: field })
    return blocks.pb(
      node,
      links.map(([name, cid]) => [name, cid, 1] as const)
    )
  }
  const [first, second] = hashOfName('a.txt')
  const label = (slot: number) => slot.toString(16).toUpperCase().padStart(2, '0')
  const right = await of([[label(first!), await of([[`${label(second!)}a.txt`, leaf]])]])
  t.deepEqual(
    (await list(blocks, right)).map(({ name }) => name),
    ['a.txt']
  )
  t.is((await findEntry(await open(blocks, right), 'a.txt', sourcesOf(blocks)))?.toString(), leaf.toString())
  const below = await of([[`${label(second!)}a.txt`, leaf]])
  const wrong = await of([[label(first! ^ 1), below]])
  await t.throwsAsync(list(blocks, wrong), { message: `the entry 'a.txt' stands in the shard ${below}, where its hash does not lead` })
  t.is(await findEntry(await open(blocks, wrong), 'a.txt', sourcesOf(blocks)), undefined)
  const empty = await of([])
  t.deepEqual(await list(blocks, empty), [])
  const hollow = await of([[label(first!), empty]])
  const message = `the shard ${empty} below another one has no entries`
  await t.throwsAsync(list(blocks, hollow), { message })
  await t.throwsAsync(findEntry(await open(blocks, hollow), 'a.txt', sourcesOf(blocks)), { message })
  let deep = await of([['0x', leaf]], 8n)
  for (let level = 0; level < 21; level++) deep = await of([['0', deep]], 8n)
  await t.throwsAsync(list(blocks, deep), { message: /stands deeper than the 64 bits of a hash lead$/ })
})

test('a folder of 256^7 shards in eight blocks ends after its first shards', async t => {
  const blocks = new Blocks()
  const field = (data: Uint8Array) => unixfs({ type: HAMTShard, hash: MURMUR3, fanout: 256n, data })
  let cid = await blocks.pb(field(new Uint8Array(0)))
  for (let level = 0; level < 7; level++) {
    const links = Array.from({ length: 256 }, (_, i) => [i.toString(16).toUpperCase().padStart(2, '0'), cid, 1] as const)
    cid = await blocks.pb(field(new Uint8Array(32).fill(255)), links)
  }
  blocks.asked.length = 0
  await t.throwsAsync(list(blocks, cid), { code: 'E_HAMT_EMPTY' })
  t.true(blocks.asked.length < 256, `${blocks.asked.length} blocks were asked for`)
})

test('a shard that contains itself again and again ends where the hash does', async t => {
  const blocks = new Blocks()
  const all = new Uint8Array(32).fill(255)
  const slots = Array.from({ length: 256 }, (_, i) => i.toString(16).toUpperCase().padStart(2, '0'))
  let cid = await blocks.pb(unixfs({ type: HAMTShard, hash: MURMUR3, fanout: 256n, data: all }))
  for (let i = 0; i < 20; i++) {
    cid = await blocks.pb(
      unixfs({ type: HAMTShard, hash: MURMUR3, fanout: 256n, data: all }),
      slots.map(slot => [slot, cid, 1])
    )
  }
  blocks.asked.length = 0
  t.is(await findEntry(await open(blocks, cid), 'anything', sourcesOf(blocks)), undefined)
  t.is(blocks.asked.length, 9)
})
