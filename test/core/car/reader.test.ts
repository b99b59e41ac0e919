import test from 'ava'
import fc from 'fast-check'
import { readCar } from '../../../core/car/reader.ts'
import { verifyBlock } from '../../../core/car/verify.ts'
import { writeCar } from '../../../core/car/writer.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { sumCid } from '../../../core/cid/sum.ts'
import type { Block } from '../../../core/index.ts'
import { all } from '../../helpers/streams.ts'
import { pieces, rawBlock, recordedCars } from './fixtures.ts'

const HELLO = 'bafkreibkndny6zoinx5lkrvbgzq27y5ni6y5plc5oxkaspnwe4gm5iohc4'
const cars = await recordedCars('dag-import')
const family = cars.get('a parent with its children')!
const v2 = cars.get('CARv2 with an index')!
const padded = cars.get('CARv2 with padding')!

/** What a CAR says, with copies of its blocks as they stood when they came. */
async function read(source: AsyncIterable<Uint8Array>, limits = {}) {
  const car = await readCar(source, limits)
  const blocks: Array<{ cid: string; bytes: string }> = []
  for await (const block of car.blocks()) {
    verifyBlock(block)
    blocks.push({ cid: cidToString(block.cid), bytes: Buffer.from(block.bytes).toString('hex') })
  }
  return { version: car.version, roots: car.roots.map(root => cidToString(root)), blocks }
}

async function outcome(bytes: Uint8Array, limits = {}) {
  return read(pieces(bytes, 7), limits).then(
    ({ blocks }) => blocks.length,
    (error: Error) => error.message
  )
}

test('roots and blocks of a recorded CAR are read', async t => {
  const { version, roots, blocks } = await read(pieces(family, 65_536))
  t.is(version, 1)
  t.deepEqual(roots, ['bafyreigkvck2add7awek5n6pniosmny6r5wo5bstksmsgasmm6jlulokwm'])
  t.is(blocks.length, 3)
  t.deepEqual(blocks[1], { cid: HELLO, bytes: Buffer.from('hello car').toString('hex') })
})

test('version 2 is read with padding before its data, and an index after it', async t => {
  for (const [car, size] of [
    [v2, 1],
    [padded, 5],
    [v2, 1000]
  ] as const) {
    const { version, roots, blocks } = await read(pieces(car, size))
    t.is(version, 2)
    t.deepEqual([roots, blocks.map(({ cid }) => cid)], [[HELLO], [HELLO]])
  }
})

test('where the chunks of the source end does not matter', async t => {
  for (const car of [family, padded]) {
    const whole = await read(pieces(car, car.length))
    t.deepEqual(await read(pieces(car, 1)), whole)
    for (let cut = 1; cut < car.length; cut++) t.deepEqual(await read(pieces(car, cut, car.length)), whole)
  }
})

test('what is written is read again', async t => {
  const block = fc.uint8Array({ maxLength: 3_000 }).map(rawBlock)
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 })
  const property = fc.asyncProperty(fc.array(block, { maxLength: 20 }), fc.nat(3), sizes, async (blocks, rooted, cuts) => {
    const given = (async function* () {
      yield* blocks
    })()
    const roots = blocks.slice(0, rooted).map(({ cid }) => cid)
    const bytes = Buffer.concat(await all(writeCar(roots, given)))
    const car = await read(pieces(bytes, ...cuts))
    t.deepEqual(car.roots, roots.map(String))
    t.deepEqual(
      car.blocks,
      blocks.map(({ cid, bytes }) => ({ cid: String(cid), bytes: Buffer.from(bytes).toString('hex') }))
    )
  })
  await fc.assert(property, { numRuns: 100 })
})

test('blocks that came in several chunks lie in the memory they are given', async t => {
  const large = rawBlock(Buffer.alloc(3_000_000, 'x'))
  const bytes = Buffer.concat(await all(writeCar([large.cid], given(large, rawBlock(Buffer.from('small'))))))
  const asked: number[] = []
  const room = (size: number) => {
    asked.push(size)
    return Buffer.alloc(size)
  }
  const blocks: Block[] = []
  for await (const block of (await readCar(pieces(bytes, 100, 100_000))).blocks(room)) blocks.push(block)
  t.true(Buffer.from(blocks[0]!.bytes).equals(large.bytes))
  t.is(asked[0], 1024 * 1024)
})

async function* given(...blocks: Block[]) {
  yield* blocks
}

test('a CAR that was cut off says so, unless it was cut between two sections', async t => {
  const car = cars.get('two roots')!
  const [first, second, third] = [car.length - 92, car.length - 46, car.length]
  const whole = new Map([first, second, third].map((end, blocks) => [end, blocks]))
  for (let cut = 0; cut < car.length; cut++) {
    const blocks = whole.get(cut) ?? whole.get(cut - 1)
    const wanted = blocks ?? (cut === 0 ? 'EOF' : 'unexpected EOF')
    t.is(await outcome(car.subarray(0, cut)), wanted, `after ${cut} bytes`)
  }
})

test('a CAR of version 2 that was cut off says so, up to the end of its data', async t => {
  const data = 51 + 105
  for (let cut = 2; cut < data; cut++) t.is(await outcome(v2.subarray(0, cut)), 'unexpected EOF', `after ${cut} bytes`)
  t.is(await outcome(v2.subarray(0, data)), 1)
})

const pragma = Buffer.from('0aa16776657273696f6e02', 'hex')
const v1 = cars.get('one raw root')!

function second(offset: bigint, size: bigint, ...data: Uint8Array[]): Buffer {
  const fields = Buffer.alloc(40)
  fields.writeBigUInt64LE(offset, 16)
  fields.writeBigUInt64LE(size, 24)
  return Buffer.concat([pragma, fields, ...data])
}

const hex = (text: string) => Buffer.from(text, 'hex')
const header = v1.subarray(0, 59)
for (const [what, bytes, error] of [
  ['a header of 4 GiB', hex('ffffffff0f'), 'invalid header data, length of read beyond allowable maximum'],
  ['a header whose length has no end', hex('ffffffffffffffffffff'), 'varints larger than uint63 not supported'],
  ['a header that is text', hex('0161'), 'invalid header: malformed stream: invalid appearance of string token; expected start of map'],
  ['a header of nested lists', Buffer.concat([hex('8020'), Buffer.alloc(4096, 0x81)]), /^invalid header: .* array open token; expected/],
  ['a header that goes on', hex('12a265726f6f7473806776657273696f6e0100'), 'invalid header: unexpected content after end of cbor object'],
  ['a header with roots twice', hex('0fa265726f6f74738065726f6f747380'), 'invalid header: cannot repeat map key "roots"'],
  ['a root that is a number', hex('12a265726f6f747381016776657273696f6e01'), /^invalid header: .* uint token; expected link$/],
  ['a root under another tag', hex('15a265726f6f747381d82b41006776657273696f6e01'), 'invalid header: unhandled cbor tag 43'],
  [
    'a root without its leading zero',
    hex('15a265726f6f747381d82a41016776657273696f6e01'),
    'invalid header: invalid multibase on IPLD link'
  ],
  ['a root that is no CID', hex('16a265726f6f747381d82a4200016776657273696f6e01'), /^invalid header: invalid cid: /],
  ['a root longer than the header', hex('0ea265726f6f747381d82a5a7fffffff'), 'invalid header: unexpected EOF'],
  ['a version that is text', hex('11a265726f6f7473806776657273696f6e60'), /^invalid header: .* string token; expected uint$/],
  ['a negative version', hex('11a265726f6f7473806776657273696f6e20'), /^invalid header: .* int token; expected uint$/],
  ['version 3', hex('11a265726f6f7473806776657273696f6e03'), 'invalid car version: 3'],
  ['a section over the limit', Buffer.concat([header, hex('81808004')]), 'invalid section data, length of read beyond allowable maximum'],
  ['a section without bytes', Buffer.concat([header, hex('00')]), 'invalid cid: varints malformed, could not reach the end'],
  ['data that begin in the header', second(50n, 105n, v1), 'invalid data payload offset: 50'],
  ['data that begin at 2^63', second(1n << 63n, 105n, v1), 'invalid data payload offset: 9223372036854775808'],
  ['data of no size', second(51n, 0n, v1), 'invalid data payload size: 0'],
  ['data of more than there is', second(51n, 106n, v1), 'unexpected EOF'],
  ['data far behind the end', second(1n << 60n, 105n, v1), 'unexpected EOF'],
  ['version 2 within version 2', second(51n, 11n, pragma), 'invalid data payload header version; expected 1, got 2']
] as const) {
  test(`${what} is refused`, async t => {
    const told = await outcome(bytes)
    if (typeof error === 'string') t.is(told, error)
    else t.regex(String(told), error)
  })
}

test('a header may mark its ends instead of giving its lengths, and its keys may come in any order', async t => {
  t.is(await outcome(hex('13bf6776657273696f6e0165726f6f74739fffff')), 0)
  t.is(await outcome(hex('11a26776657273696f6e0165726f6f7473f6')), 0)
})

test('nothing is read, and no memory taken, for what is over a limit', async t => {
  let chunks = 0
  const source = async function* () {
    for (;;) {
      chunks++
      yield hex('ffffffff0f')
    }
  }
  await t.throwsAsync(() => readCar(source()), { message: /beyond allowable maximum/ })
  t.is(chunks, 1)
})

test('what a section declares takes no memory until it comes', async t => {
  const asked: number[] = []
  const room = (size: number) => {
    asked.push(size)
    return Buffer.alloc(size)
  }
  const car = await readCar(pieces(Buffer.concat([header, hex('ffffff3f'), Buffer.from('x')]), 30), { maxSection: 2 ** 30 })
  await t.throwsAsync(() => all(car.blocks(room)), { message: 'unexpected EOF' })
  t.deepEqual(asked, [1024 * 1024])
})

test('limits can be set', async t => {
  const tight = { maxHeader: 58, maxSection: 45, maxRoots: 1 }
  t.is(await outcome(v1, tight), 1)
  t.regex(String(await outcome(v1, { ...tight, maxHeader: 57 })), /invalid header data/)
  t.regex(String(await outcome(v1, { ...tight, maxSection: 44 })), /invalid section data/)
  t.is(await outcome(cars.get('two roots')!, { maxRoots: 1 }), 'more than 1 roots, the most that this node takes at a time')
})

for (const [hash, length] of [
  [0x12, 20],
  [0x13, undefined],
  [0xb220, undefined],
  [0x1e, 64],
  [0x00, undefined]
] as const) {
  test(`a block under hash function ${hash} is held against its CID`, t => {
    const bytes = Buffer.from('some bytes')
    const cid = sumCid({ version: 1, codec: 0x71, hash, length }, bytes)
    t.notThrows(() => verifyBlock({ cid, bytes }))
    const other = sumCid({ version: 1, codec: 0x71, hash, length }, Buffer.from('others'))
    t.throws(() => verifyBlock({ cid, bytes: Buffer.from('others') }), {
      message: `mismatch in content integrity, expected: ${cidToString(cid)}, got: ${cidToString(other)}`
    })
  })
}
