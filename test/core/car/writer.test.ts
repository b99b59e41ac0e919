import test from 'ava'
import { writeCar } from '../../../core/car/writer.ts'
import { sumCid } from '../../../core/cid/sum.ts'
import type { Block } from '../../../core/index.ts'
import { all } from '../../helpers/streams.ts'
import { rawBlock } from './fixtures.ts'

async function* given(...blocks: Array<Block | Error>) {
  for (const block of blocks) {
    if (block instanceof Error) throw block
    yield block
  }
}

const hello = rawBlock(Buffer.from('hello car'))
const HEADER = '3aa265726f6f747381d82a582500015512202a68db8f65c86dfab546a13661afe3ad47b1d7ac5d75d4093db6270ccea1c7176776657273696f6e01'
const SECTION = '2d015512202a68db8f65c86dfab546a13661afe3ad47b1d7ac5d75d4093db6270ccea1c71768656c6c6f20636172'

test('a CAR is its header and a section for each block', async t => {
  const chunks = await all(writeCar([hello.cid], given(hello)))
  t.is(Buffer.concat(chunks).toString('hex'), HEADER + SECTION)
})

test('a CAR may have no roots and no blocks', async t => {
  const chunks = await all(writeCar([], given()))
  t.is(Buffer.concat(chunks).toString('hex'), '11a265726f6f7473806776657273696f6e01')
})

test('what was read before an error is written before it', async t => {
  const chunks: Uint8Array[] = []
  const writing = async () => {
    for await (const chunk of writeCar([hello.cid], given(hello, new Error('gone')))) chunks.push(chunk)
  }
  await t.throwsAsync(writing, { message: 'gone' })
  t.is(Buffer.concat(chunks).toString('hex'), HEADER + SECTION)
})

test('large blocks go out as they are, small ones together', async t => {
  const large = rawBlock(Buffer.alloc(262_144, 'x'))
  const small = Array.from({ length: 1_000 }, (_, i) => rawBlock(Buffer.from(`block ${i}`)))
  const chunks = await all(writeCar([large.cid], given(large, ...small, large)))
  t.is(chunks.filter(chunk => chunk === large.bytes).length, 2)
  t.true(chunks.length < 10)
  const sections = [large, ...small, large].map(({ cid, bytes }) => {
    const size = cid.bytes.length + bytes.length
    const length = size < 128 ? [size] : [(size & 127) | 128, ((size >> 7) & 127) | 128, size >> 14]
    return Buffer.concat([Buffer.from(length), cid.bytes, bytes])
  })
  const header = (await all(writeCar([large.cid], given())))[0]!
  t.true(Buffer.concat(chunks).equals(Buffer.concat([header, ...sections])))
})

test('a block inside its CID may be of any length', async t => {
  const bytes = Buffer.alloc(200_000, 'x')
  const cid = sumCid({ version: 1, codec: 0x55, hash: 0x00 }, bytes)
  const header = Buffer.concat(await all(writeCar([cid], given())))
  const car = Buffer.concat(await all(writeCar([cid], given({ cid, bytes }))))
  t.true(car.subarray(header.length + 3).equals(Buffer.concat([cid.bytes, bytes])))
})
