import { hash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { type Chunk, Chunks, parseChunker } from '../../../../core/unixfs/chunker/index.ts'
import { LeafPool } from '../../../../core/unixfs/import/memory.ts'
import { seeded } from '../../../helpers/random.ts'
import { inPieces } from '../import/upload.ts'

const payload = ({ buffer, size }: Chunk) => Buffer.from(buffer.bytes.subarray(buffer.start, buffer.start + size))

async function chunks(bytes: Uint8Array, spec: string, piece: number): Promise<Buffer[]> {
  const list: Buffer[] = []
  const source = (async function* () {
    yield* inPieces(bytes, piece)
  })()
  const cut = new Chunks(source, parseChunker(spec)(), new LeafPool())
  for (let chunk = await cut.next(); chunk !== undefined; chunk = await cut.next()) {
    list.push(payload(chunk))
    // The next chunk may lie in the same memory.
    chunk.buffer.release?.()
  }
  return list
}

const sum = (chunk: Buffer) => hash('sha256', chunk)

const specs = ['size-1', 'size-1000', 'size-40000', 'rabin-16-32-64', 'rabin-500-1000-2000', 'rabin-30000', 'buzhash']

test('chunks are the bytes of the stream, in whatever pieces it comes', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...specs),
      fc.nat(3000),
      fc.integer({ min: 1, max: 4000 }),
      fc.nat(),
      async (spec, size, piece, seed) => {
        const bytes = seeded(seed).bytes(size)
        const cut = await chunks(bytes, spec, piece)
        t.true(Buffer.concat(cut).equals(bytes))
        t.deepEqual(
          cut.map(chunk => chunk.length),
          (await chunks(bytes, spec, Math.max(1, size))).map(chunk => chunk.length)
        )
      }
    ),
    { numRuns: 200 }
  )
})

for (const spec of ['size-262144', 'rabin', 'buzhash']) {
  test(`large chunks do not depend on the pieces either: ${spec}`, async t => {
    const bytes = seeded(11).bytes(2_000_000)
    const whole = await chunks(bytes, spec, bytes.length)
    t.true(whole.length > 2)
    t.true(Buffer.concat(whole).equals(bytes))
    for (const piece of [1000, 65_536, 300_001]) t.deepEqual((await chunks(bytes, spec, piece)).map(sum), whole.map(sum))
  })
}

test('chunks cut by content find themselves again after a byte was put in front', async t => {
  const bytes = seeded(5).bytes(200_000)
  const moved = Buffer.concat([Uint8Array.of(1), bytes])
  const sums = async (of: Uint8Array) => new Set((await chunks(of, 'rabin-500-1000-4000', 65_536)).map(chunk => chunk.toString('latin1')))
  const [before, after] = [await sums(bytes), await sums(moved)]
  t.true([...before].filter(chunk => after.has(chunk)).length > before.size * 0.9)
})

test('an average too small for its window cuts nothing', async t => {
  t.is((await chunks(seeded(1).bytes(5000), 'rabin-47', 1000)).length, 1)
})

test('no piece is looked at once the next one, or the end, was asked for', async t => {
  const bytes = seeded(1).bytes(5000)
  const source = (async function* () {
    for (const piece of inPieces(bytes, 700)) {
      const lent = new Uint8Array(piece)
      yield lent
      lent.buffer.transfer(0)
    }
  })()
  const cut = new Chunks(source, parseChunker('size-1000')(), new LeafPool())
  const list: Buffer[] = []
  for (let chunk = await cut.next(); chunk !== undefined; chunk = await cut.next()) list.push(payload(chunk))
  t.deepEqual(Buffer.concat(list), Buffer.from(bytes))
  t.is(await cut.next(), undefined)
})

test('a source that is left early is let go of, and what it says to that is not what is wrong', async t => {
  const left: string[] = []
  const source = (name: string, pieces: number) => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => (pieces-- > 0 ? { done: false as const, value: new Uint8Array(10) } : { done: true as const, value: undefined }),
      return: async () => {
        left.push(name)
        throw new Error('nothing to leave')
      }
    })
  })
  for (const [name, pieces] of [
    ['early', 3],
    ['at its end', 1]
  ] as const) {
    const cut = new Chunks(source(name, pieces), parseChunker('size-10')(), new LeafPool())
    await cut.next()
    if (name === 'at its end') t.is(await cut.next(), undefined)
    await t.notThrowsAsync(cut.leave())
  }
  t.deepEqual(left, ['early'])
})
