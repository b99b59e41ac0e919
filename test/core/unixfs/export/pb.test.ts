import * as dagPb from '@ipld/dag-pb'
import test from 'ava'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { openPb, readPb } from '../../../../core/dag/pb.ts'
import { decodeUnixFs } from '../../../../core/unixfs/export/data.ts'
import { noise, unixfs } from './blocks.ts'

const V0 = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
const V1 = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

test('links and data of a block are read as another implementation wrote them', t => {
  const Data = noise(200)
  const Links = [
    { Name: 'a', Hash: V0, Tsize: 0 },
    { Name: 'b'.repeat(300), Hash: V1, Tsize: 2 ** 40 },
    { Name: 'é日本', Hash: V1, Tsize: Number.MAX_SAFE_INTEGER }
  ]
  const node = openPb(dagPb.encode({ Data, Links }))
  t.deepEqual(Buffer.from(node.data!), Buffer.from(Data))
  const read = Links.map((_, i) => ({ Name: node.name(i), Hash: node.cid(i), Tsize: node.size(i) }))
  t.deepEqual(
    read.map(({ Hash, ...fields }) => ({ ...fields, Hash: Hash.toString() })),
    Links.map(({ Hash, ...fields }) => ({ ...fields, Hash: Hash.toString() }))
  )
  t.deepEqual(
    ['a', 'é日本', 'nope', ''].map(name => node.find(name)),
    [0, 2, -1, -1]
  )
})

test('a name that is no UTF-8 is kept and found', t => {
  const name = Buffer.from('61ff62', 'hex')
  const block = Buffer.concat([Buffer.from([0x12, 2 + 34 + 2 + 3, 0x0a, 34]), V0.bytes, Buffer.from([0x12, 3]), name])
  const node = openPb(block)
  t.is(node.name(0), 'a\udcffb')
  t.is(node.find('a\udcffb'), 0)
})

test('a Tsize of 2^64-1 is exact', t => {
  const tsize = Buffer.from('18ffffffffffffffffff01', 'hex')
  const block = Buffer.concat([Buffer.from([0x12, 2 + 34 + tsize.length, 0x0a, 34]), V0.bytes, tsize])
  t.is(openPb(block).size(0), 2n ** 64n - 1n)
})

test('a block that is opened and the list of its links tell the same, or refuse it with the same words', t => {
  const valid = Buffer.from(
    dagPb.encode({
      Data: unixfs({ type: 1 }),
      Links: [
        { Name: 'x', Hash: V0, Tsize: 4 },
        { Name: 'y', Hash: V1, Tsize: 5 }
      ]
    })
  )
  const outcome = <T>(read: () => T): T | string => {
    try {
      return read()
    } catch (error) {
      return String(error)
    }
  }
  const mutation = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 4 })
  fc.assert(
    fc.property(mutation, fc.nat(valid.length), (changes, cut) => {
      const block = Buffer.from(valid)
      for (const [at, byte] of changes) block[at] = byte
      const bytes = cut % 3 === 0 ? block.subarray(0, cut) : block
      const opened = outcome(() => openPb(bytes))
      const whole = outcome(() => readPb(bytes))
      if (typeof opened === 'string' || typeof whole === 'string') {
        t.is(opened, whole as string)
        return
      }
      t.is(opened.length, whole.links.length)
      whole.links.forEach((link, i) => {
        t.is(opened.cid(i).toString(), link.cid.toString())
        t.is(opened.name(i), link.name ?? '')
        t.is(BigInt(opened.size(i)), BigInt(link.tsize ?? 0))
      })
      t.deepEqual(opened.data && Buffer.from(opened.data), whole.data && Buffer.from(whole.data))
    }),
    { numRuns: 3000 }
  )
})

test('a size beyond 2^53 is rounded once', t => {
  const size = 354800405690113502n
  t.deepEqual(decodeUnixFs(unixfs({ type: 2, size, sizes: [size, 2n ** 64n - 1n] })).blockSizes(), [Number(size), 2 ** 64])
})

test('a UnixFS message is read, packed or not, unknown fields left aside', t => {
  const message = decodeUnixFs(unixfs({ type: 2, data: noise(3), size: 2n ** 64n - 1n, sizes: [1n, 300n, 2n ** 40n] }))
  t.is(message.type, 2)
  t.is(message.fileSize, 2n ** 64n - 1n)
  t.is(message.children, 3)
  t.deepEqual(message.blockSizes(), [1, 300, 2 ** 40])
  const packed = decodeUnixFs(Buffer.from('0802' + '220301ac02' + '3a03616263' + '3d01020304' + '3900000000000000ff' + '4b08014c', 'hex'))
  t.deepEqual(packed.blockSizes(), [1, 300])
  t.is(packed.children, 2)
})

const broken = {
  '': 'proto: required field "Type" not set',
  '12036e6f74': 'proto: required field "Type" not set',
  ffffff: 'unexpected EOF',
  '08': 'unexpected EOF',
  '080112': 'unexpected EOF',
  '08011205': 'unexpected EOF',
  '0801ffffffffffffffffffff7f': 'unexpected EOF',
  '08013d010203': 'unexpected EOF',
  '08014b0801': 'unexpected EOF',
  '08013e': "proto: can't skip unknown wire type 6",
  '08013c': "proto: can't skip unknown wire type 4"
}
for (const [hex, message] of Object.entries(broken)) {
  test(`UnixFS data '${hex}' are refused: ${message}`, t => {
    t.throws(() => decodeUnixFs(Buffer.from(hex, 'hex')), { code: 'E_PROTOBUF', message })
  })
}
