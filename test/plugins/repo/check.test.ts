import test from 'ava'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import { digestSync, hashFunctions } from '../../../core/cid/hashers.ts'
import { createMultihash } from '../../../core/cid/multihash.ts'
import { checkBlocks } from '../../../plugins/repo/check.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { all } from '../../helpers/streams.ts'
import { type Sample, sample, samples } from '../storage/samples.ts'

const { signal } = new AbortController()
const MiB = 1 << 20

/** A store that tells sizes, has small blocks at hand, and counts what is being read. */
class Counting extends MemoryBlockstore {
  reading = 0
  mostReads = 0
  held = 0
  mostHeld = 0
  readonly #sizes: readonly Sample[]

  constructor(blocks: readonly Sample[]) {
    super()
    this.#sizes = blocks
  }

  async *listBlocks() {
    for (const { multihash, bytes } of this.#sizes) {
      yield { multihash, size: bytes.byteLength, bytes: bytes.byteLength < 1000 ? bytes : () => this.getBytes(multihash) }
    }
  }

  override async getBytes(multihash: Uint8Array): Promise<Uint8Array | undefined> {
    const found = this.#sizes.find(one => one.multihash === multihash)
    const size = found?.bytes.byteLength ?? 0
    this.reading++
    this.held += size
    this.mostReads = Math.max(this.mostReads, this.reading)
    this.mostHeld = Math.max(this.mostHeld, this.held)
    await new Promise(resolve => setImmediate(resolve))
    this.reading--
    this.held -= size
    return found?.bytes
  }
}

async function filled(blocks: ReadonlyArray<Pick<Sample, 'multihash' | 'bytes'>>): Promise<MemoryBlockstore> {
  const store = new MemoryBlockstore()
  await store.putAll(blocks)
  return store
}

test('whole blocks pass, at hand or not', async t => {
  const blocks = [...samples(40), ...samples(40, 2000)]
  t.deepEqual(await all(checkBlocks(new Counting(blocks), signal)), Array(80).fill(undefined))
  t.deepEqual(await all(checkBlocks(await filled(blocks), signal)), Array(80).fill(undefined))
})

test('blocks are held against every hash function that this node knows, digests cut short included', async t => {
  const { bytes } = sample(1)
  const whole = hashFunctions.map(({ code, digest }) => createMultihash(code, digest(bytes)).bytes)
  const cut = createMultihash(0x13, digestSync(0x13, bytes, 20)).bytes
  const store = await filled([...whole, cut].map(multihash => ({ multihash, bytes })))
  t.deepEqual(await all(checkBlocks(store, signal)), Array(whole.length + 1).fill(undefined))
  const damaged = await filled([...whole, cut].map(multihash => ({ multihash, bytes: sample(2).bytes })))
  const faults = await all(checkBlocks(damaged, signal))
  t.is(
    faults.filter(fault => fault?.says.endsWith(' was corrupt (block in storage has different hash than requested)')).length,
    whole.length + 1
  )
})

test('a store of the ecosystem is checked as well', async t => {
  const store = await filled([sample(1), { ...sample(2), bytes: sample(3).bytes }])
  const plain = { get: store.get.bind(store), has: store.has.bind(store), getAll: store.getAll.bind(store) }
  t.deepEqual(
    (await all(checkBlocks(fastBlocks(plain as never), signal))).map(fault => fault?.says),
    [undefined, `block ${sample(2).cid} was corrupt (block in storage has different hash than requested)`]
  )
})

test('several blocks are read at a time, never more than 16', async t => {
  const store = new Counting(samples(200, 2000))
  await all(checkBlocks(store, signal))
  t.is(store.mostReads, 16)
})

test('no more than 8 MiB are read at a time, and a larger block by itself', async t => {
  const store = new Counting([...samples(6, 3 * MiB), sample(9, 20 * MiB), ...samples(4, 3 * MiB)])
  t.is((await all(checkBlocks(store, signal))).length, 11)
  t.is(store.mostHeld, 20 * MiB)
  const smaller = new Counting(samples(6, 3 * MiB))
  await all(checkBlocks(smaller, signal))
  t.is(smaller.mostHeld, 6 * MiB)
})

test('what cannot be hashed, read or found is named, and the rest is checked all the same', async t => {
  const unknown = { multihash: new Uint8Array([0x80, 0x22, 4, 1, 2, 3, 4]), bytes: new Uint8Array(4) }
  const noMultihash = { multihash: new Uint8Array([0x12, 32, 1, 2]), bytes: new Uint8Array(4) }
  const store = await filled([sample(1), unknown, noMultihash, sample(2), sample(3), sample(4)])
  const get = store.getBytes.bind(store)
  store.getBytes = async multihash => {
    if (Buffer.compare(multihash, sample(2).multihash) === 0) throw new Error('EIO: i/o error, read')
    if (Buffer.compare(multihash, sample(3).multihash) === 0) return undefined
    return get(multihash)
  }
  t.deepEqual(
    (await all(checkBlocks(store, signal))).map(fault => fault?.says),
    [
      undefined,
      'block bafkyaiqeaebagba was corrupt (unknown multihash code 4352 (0x1100): no such hash registered)',
      'block bafkreiabai was corrupt (length greater than remaining number of bytes in buffer)',
      `block ${sample(2).cid} was corrupt (EIO: i/o error, read)`,
      `block ${sample(3).cid} was corrupt (the store lists it, but its bytes are gone)`,
      undefined
    ]
  )
})

test('a block that is mended while it is looked at is whole', async t => {
  const store = await filled(samples(2))
  const damaged = sample(7).bytes
  const walk = async function* () {
    yield { multihash: sample(0).multihash, size: 100, bytes: damaged }
    yield { multihash: sample(1).multihash, size: 100, bytes: async () => damaged }
  }
  t.deepEqual(await all(checkBlocks(Object.assign(store, { listBlocks: walk }), signal)), [undefined, undefined])
})

test('a block that is removed before it is read counts for nothing', async t => {
  const store = await filled(samples(3))
  const get = store.getBytes.bind(store)
  store.getBytes = async multihash => {
    await store.deleteMultihash(sample(1).multihash)
    return get(multihash)
  }
  t.deepEqual(await all(checkBlocks(store, signal)), [undefined, undefined])
})

for (const size of [100, 2000]) {
  test(`it ends when its signal fires, with blocks of ${size} bytes`, async t => {
    const controller = new AbortController()
    let seen = 0
    const reading = (async () => {
      for await (const _ of checkBlocks(new Counting(samples(2000, size)), controller.signal)) {
        if (++seen === 20) controller.abort(new Error('left'))
      }
    })()
    await t.throwsAsync(reading, { message: 'left' })
    t.is(seen, 20)
  })
}
