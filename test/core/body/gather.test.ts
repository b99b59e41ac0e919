import test from 'ava'
import { gather } from '../../../core/body/gather.ts'
import { HeldInputs } from '../../../core/body/held.ts'
import type { BodyPart } from '../../../core/index.ts'

/** A part that takes the memory of each piece back as soon as it may. */
function part(...sizes: number[]): BodyPart {
  return {
    path: '/f',
    kind: 'file',
    headers: {},
    async *bytes() {
      for (const [i, size] of sizes.entries()) {
        const piece = new Uint8Array(size).fill(i + 1)
        yield piece
        piece.buffer.transfer(0)
      }
    }
  }
}

const whole = (...sizes: number[]) => Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1)))
const tooMuch = () => new Error('too much')
const held = new HeldInputs(Number.POSITIVE_INFINITY, '').begin()

for (const sizes of [[], [0], [1], [10, 20], [4096], [4097], [3000, 3000, 3000], [65_400, 65_536, 65_536, 65_536, 136], [300_000, 1]]) {
  test(`pieces of ${sizes.join(', ') || 'nothing'} come out whole`, async t => {
    const { bytes } = await gather(part(...sizes), 400_000, tooMuch, held)
    t.deepEqual(Buffer.from(bytes), whole(...sizes))
  })
}

test('more than the limit is refused, as much is not', async t => {
  t.is((await gather(part(60, 40), 100, tooMuch, held)).bytes.length, 100)
  await t.throwsAsync(gather(part(60, 41), 100, tooMuch, held), { message: 'too much' })
})

test('what is released is freed at once, and never what shares its memory', async t => {
  const large = await gather(part(100_000), 400_000, tooMuch, held)
  const view = large.bytes
  large.release()
  t.is(view.length, 0)
  const [small, other] = [await gather(part(10), 100, tooMuch, held), await gather(part(10), 100, tooMuch, held)]
  small.release()
  t.deepEqual([...other.bytes], Array(10).fill(1))
})

test('a part that came whole is not read piece by piece, and counts as much', async t => {
  const bytes = Buffer.alloc(100, 1)
  const come: BodyPart = { ...part(), whole: bytes, bytes: () => t.fail() as never }
  const inputs = new HeldInputs(150, 'a setting')
  const gathered = await gather(come, 100, tooMuch, inputs.begin())
  t.deepEqual(Buffer.from(gathered.bytes), bytes)
  await t.throwsAsync(gather(come, 100, tooMuch, inputs.begin()), { code: 'E_INPUTS_HELD' })
  await t.throwsAsync(gather(come, 99, tooMuch, held), { message: 'too much' })
})

test('of a part that came whole with much else, only its own bytes are kept', async t => {
  const upload = new Uint8Array(100_000).fill(1)
  const small = await gather({ ...part(), whole: upload.subarray(10, 20) }, 100, tooMuch, held)
  t.not(small.bytes.buffer, upload.buffer)
  t.deepEqual([...small.bytes], Array(10).fill(1))
  const large = await gather({ ...part(), whole: upload.subarray(10, 99_000) }, 100_000, tooMuch, held)
  t.is(large.bytes.buffer, upload.buffer)
})
