import test from 'ava'
import fc from 'fast-check'
import { exporter, type UnixFSDirectory, type UnixFSFile } from 'ipfs-unixfs-exporter'
import { importer } from 'ipfs-unixfs-importer'
import { trickle } from 'ipfs-unixfs-importer/layout'
import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../../core/cid/parse.ts'
import { seeded } from '../../../helpers/random.ts'
import { inPieces, MapStore, type Options, rootOf, uploadOf } from './upload.ts'

/** The store as the ecosystem's own readers want it. */
function reader({ blocks }: MapStore) {
  return {
    async *get(cid: CID) {
      const bytes = cid.multihash.code === 0 ? cid.multihash.digest : blocks.get(cidToString(cid))
      if (bytes === undefined) throw new Error(`${cid} was not stored`)
      yield bytes
    }
  }
}

async function contentOf(path: CID | string, store: MapStore): Promise<Buffer> {
  const entry = await exporter(path, reader(store) as never)
  if (!('content' in entry) || typeof entry.content !== 'function') throw new Error(`${path} has no content`)
  const chunks: Uint8Array[] = []
  for await (const chunk of (entry as UnixFSFile).content()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const option: fc.Arbitrary<Partial<Options>> = fc.record({
  layout: fc.constantFrom('balanced' as const, 'trickle' as const),
  rawLeaves: fc.boolean(),
  cidVersion: fc.constantFrom(0 as const, 1 as const),
  chunker: fc.constantFrom('size-1', 'size-7', 'size-500', 'rabin-16-32-64', 'buzhash'),
  inlineUpTo: fc.constantFrom(undefined, 16, 64)
})

test('a file reads back as it was, whatever its layout', async t => {
  await fc.assert(
    fc.asyncProperty(option, fc.nat(4000), fc.integer({ min: 1, max: 5000 }), fc.nat(), async (options, size, piece, seed) => {
      const store = new MapStore()
      const bytes = seeded(seed).bytes(size)
      const cid = await rootOf(uploadOf([['f', inPieces(bytes, piece)]]), options, store)
      t.true((await contentOf(cid, store)).equals(bytes))
    }),
    { numRuns: 100 }
  )
})

for (const layout of ['balanced', 'trickle'] as const) {
  test(`memory that is used again does not spoil a large file: ${layout}`, async t => {
    const store = new MapStore()
    const bytes = seeded(3).bytes(30_000_000)
    const cid = await rootOf(uploadOf([['f', inPieces(bytes, 65_536)]]), { layout }, store)
    t.true((await contentOf(cid, store)).equals(bytes))
  })
}

test("the ecosystem's importer makes the same CID of a file with several levels", async t => {
  const bytes = seeded(8).bytes(174 * 174 * 3 + 1)
  const discard = { put: async (cid: CID) => cid }
  const chunker = async function* () {
    yield* inPieces(bytes, 3)
  }
  for (const rawLeaves of [false, true]) {
    const options = { rawLeaves, cidVersion: 1, chunker, profile: 'unixfs-v0-2015' } as const
    let theirs: CID | undefined
    for await (const { cid } of importer([{ content: bytes }], discard as never, options)) theirs = cid
    const ours = await rootOf(uploadOf([['f', bytes]]), { chunker: 'size-3', cidVersion: 1, rawLeaves })
    t.is(cidToString(ours), cidToString(theirs!))
  }
})

test("the ecosystem's importer makes the same CID of a trickle file", async t => {
  const discard = { put: async (cid: CID) => cid }
  const layout = trickle({ maxChildrenPerNode: 174, layerRepeat: 4 })
  for (const count of [1, 174, 175, 900, 5000]) {
    const bytes = seeded(count).bytes(count * 5)
    const chunker = async function* () {
      yield* inPieces(bytes, 5)
    }
    const options = { layout, leafType: 'raw', reduceSingleLeafToSelf: false, chunker, profile: 'unixfs-v0-2015' } as const
    let theirs: CID | undefined
    for await (const { cid } of importer([{ content: bytes }], discard as never, options)) theirs = cid
    t.is(cidToString(await rootOf(uploadOf([['f', bytes]]), { chunker: 'size-5', layout: 'trickle' })), cidToString(theirs!), `${count}`)
  }
})

test('every name of a sharded folder is found, and no other', async t => {
  const store = new MapStore()
  const names = Array.from({ length: 3000 }, (_, i) => `name ${i}`)
  const cid = await rootOf(uploadOf(names.map(name => [`d/${name}`, name] as const)), { shardingThreshold: 1 }, store)
  for (const name of names.filter((_, i) => i % 50 === 0)) t.is((await contentOf(`${cid}/${name}`, store)).toString(), name)
  await t.throwsAsync(exporter(`${cid}/name 3000`, reader(store) as never))
  const listed: string[] = []
  for await (const { name } of ((await exporter(cid, reader(store) as never)) as UnixFSDirectory).entries()) listed.push(name)
  t.deepEqual(listed.sort(), names.sort())
})
