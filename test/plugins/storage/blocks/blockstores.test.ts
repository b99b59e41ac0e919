import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { fastBlocks } from '../../../../core/blocks/fast.ts'
import { all } from '../../../helpers/streams.ts'
import { backends } from '../backends.ts'
import { hex, sample, samples } from '../samples.ts'
import { testsWith } from '../with-store.ts'

const DAG_PB = 0x70
/** Around the size up to which blocks lie in the database, the one of a default chunk, and the largest that peers exchange. */
const SIZES = [0, 1, 4095, 4096, 4097, 262_144, 1_048_576, 2_097_153]

for (const backend of backends) {
  const withStore = testsWith(backend)

  withStore('gives back blocks of every size, byte for byte', async (t, { blocks }) => {
    for (const [i, size] of SIZES.entries()) {
      const { multihash, bytes } = sample(i, size)
      await blocks.putBytes(multihash, bytes)
      t.deepEqual(await blocks.getBytes(multihash), bytes)
      t.is(await blocks.sizeOf(multihash), size)
      t.true(await blocks.hasMultihash(multihash))
    }
  })

  withStore('finds a block under every codec and version of its multihash', async (t, { blocks }) => {
    const { cid, bytes } = sample(1)
    await blocks.put(cid, bytes)
    const others = [CID.createV0(cid.multihash as never), CID.createV1(DAG_PB, decode(cid.multihash.bytes))]
    for (const other of others) t.deepEqual(await all(blocks.get(other)), [bytes])
  })

  withStore('says of a block that was never stored that it is not there', async (t, { blocks }) => {
    const { multihash } = sample(1)
    t.is(await blocks.getBytes(multihash), undefined)
    t.is(await blocks.sizeOf(multihash), undefined)
    t.false(await blocks.hasMultihash(multihash))
    t.false(await blocks.deleteMultihash(multihash))
  })

  withStore('joins the chunks of a block that comes in several', async (t, { blocks }) => {
    const { cid, bytes } = sample(1, 10_000)
    await blocks.put(cid, [bytes.subarray(0, 3), bytes.subarray(3, 9000), bytes.subarray(9000)])
    t.deepEqual(await blocks.getBytes(cid.multihash.bytes), bytes)
  })

  withStore('stores small and large blocks handed over together', async (t, { blocks }) => {
    const mixed = [...samples(50), ...samples(5, 20_000)]
    await blocks.putAll(mixed)
    for (const { multihash, bytes } of mixed) t.deepEqual(await blocks.getBytes(multihash), bytes)
  })

  withStore('lists each block once and counts their bytes', async (t, { blocks }) => {
    const stored = [...samples(300), sample(1000, 5000), sample(1001, 0)]
    await blocks.putAll(stored)
    await blocks.putAll(stored)
    const listed = await all(blocks.listMultihashes())
    t.deepEqual(listed.map(hex).sort(), stored.map(({ multihash }) => hex(multihash)).sort())
    t.deepEqual(await blocks.totals(), { blocks: 302, bytes: 300 * 100 + 5000 })
  })

  withStore('removes blocks and says how large they were', async (t, { blocks }) => {
    const stored = [...samples(20), ...samples(3, 9000)]
    await blocks.putAll(stored)
    const first = stored[0]?.multihash as Uint8Array
    t.true(await blocks.deleteMultihash(first))
    t.deepEqual(
      await blocks.deleteAll(stored.map(({ multihash }) => multihash)),
      stored.map(({ bytes }, i) => (i === 0 ? undefined : bytes.length))
    )
    t.deepEqual(await all(blocks.listMultihashes()), [])
  })

  withStore('takes the same block from many callers at once', async (t, { blocks }) => {
    for (const size of [100, 9000]) {
      const { multihash, bytes } = sample(1, size)
      await Promise.all(Array.from({ length: 50 }, () => blocks.putBytes(multihash, bytes)))
      t.deepEqual(await blocks.getBytes(multihash), bytes)
    }
    t.is((await blocks.totals()).blocks, 2)
  })

  withStore('never loses the bytes of a block that is put and removed at the same time', async (t, { blocks }) => {
    const { multihash, bytes } = sample(1, 9000)
    for (let round = 0; round < 30; round++) {
      await Promise.all([blocks.putBytes(multihash, bytes), blocks.deleteMultihash(multihash), blocks.putBytes(multihash, bytes)])
      const there = await blocks.hasMultihash(multihash)
      t.deepEqual(await blocks.getBytes(multihash), there ? bytes : undefined)
    }
  })

  withStore('keeps its own copy of what it was given', async (t, { blocks }) => {
    const { multihash, bytes } = sample(1)
    const given = bytes.slice()
    await blocks.putBytes(multihash, given)
    given.fill(0)
    t.deepEqual(await blocks.getBytes(multihash), bytes)
  })

  withStore('gives plain arrays, whose slices are copies', async (t, { blocks }) => {
    for (const size of [100, 9000]) {
      const { multihash, bytes } = sample(1, size)
      await blocks.putBytes(multihash, bytes)
      const got = (await blocks.getBytes(multihash)) as Uint8Array
      got.slice().fill(0)
      t.deepEqual(got, bytes)
      t.false(Buffer.isBuffer(got))
    }
  })

  withStore('refuses what was cancelled before it began', async (t, { blocks }) => {
    const { multihash, bytes } = sample(1)
    const signal = AbortSignal.abort(new Error('left'))
    await t.throwsAsync(blocks.putBytes(multihash, bytes, { signal }), { message: 'left' })
    await t.throwsAsync(blocks.getBytes(multihash, { signal }), { message: 'left' })
    await t.throwsAsync(blocks.deleteMultihash(multihash, { signal }), { message: 'left' })
    await t.throwsAsync(all(blocks.listMultihashes({ signal })), { message: 'left' })
    await t.throwsAsync(blocks.totals({ signal }), { message: 'left' })
  })

  withStore('stops listing when the caller leaves in the middle', async (t, { blocks }) => {
    await blocks.putAll(samples(1000))
    const controller = new AbortController()
    let seen = 0
    await t.throwsAsync(
      async () => {
        for await (const _ of blocks.listMultihashes({ signal: controller.signal })) if (++seen === 10) controller.abort(new Error('left'))
      },
      { message: 'left' }
    )
    t.is(seen, 10)
  })

  withStore('closes although a listing was begun and never ended', async (t, { blocks }) => {
    await blocks.putAll(samples(1000))
    const listing = blocks.listMultihashes()[Symbol.asyncIterator]()
    t.is((await listing.next()).done, false)
  })

  withStore('does all of it as well for a plain store of the ecosystem', async (t, { blocks }) => {
    // Hides everything but the ecosystem's interface, so that the adapter has to do the rest.
    const methods = ['get', 'put', 'putMany', 'has', 'delete', 'getAll'] as const
    const plain = Object.fromEntries(
      methods.map(name => [name, (...all: never[]) => (blocks[name] as (...all: never[]) => unknown)(...all)])
    )
    const fast = fastBlocks(plain as never)
    const stored = [...samples(10), sample(99, 9000)]
    const first = stored[0]?.multihash as Uint8Array
    await fast.putBytes(first, stored[0]?.bytes as Uint8Array)
    await fast.putAll(stored)
    for (const { multihash, bytes } of stored) t.deepEqual(await fast.getBytes(multihash), bytes)
    t.deepEqual(await fast.totals(), { blocks: 11, bytes: 10_000 })
    t.is(await fast.sizeOf(first), 100)
    t.true(await fast.hasMultihash(first))
    t.is((await all(fast.listMultihashes())).length, 11)
    t.true(await fast.deleteMultihash(first))
    t.is(await fast.getBytes(first), undefined)
    t.deepEqual(
      await fast.deleteAll(stored.map(({ multihash }) => multihash)),
      stored.map((_, i) => (i === 0 ? undefined : 0))
    )
    t.is(fastBlocks(blocks), blocks)
  })
}
