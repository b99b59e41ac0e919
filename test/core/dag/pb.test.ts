import test from 'ava'
import fc from 'fast-check'
import { dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { dagPb } from '../../../core/dag/codecs/dag-pb.ts'
import { raw } from '../../../core/dag/codecs/raw.ts'
import { MOST_LINKS, readPb } from '../../../core/dag/pb.ts'
import { NodeError } from '../../../core/errors.ts'
import { dagJson } from './codecs.ts'
import { refusals } from './refusals.ts'
import { cids, EMPTY_DIR, failure, hex, text, toHex, utf8 } from './samples.ts'

const LINK = '12240a22122059948439065f29619ef41280cbb932be52c56d99c5966b65e0111239f098bbef'
const made = (json: string) => dagPb.encode!(dagJson.decode(utf8(json)))
const shown = (input: string) => text(dagJson.encode!(dagPb.decode(hex(input))))

for (const [input, output] of [
  ['', '{"Data":null,"Links":[]}'],
  ['0a00', '{"Data":{"/":{"bytes":""}},"Links":[]}'],
  ['0a020801', '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}'],
  [LINK, `{"Data":null,"Links":[{"Hash":{"/":"${EMPTY_DIR}"},"Name":null,"Tsize":null}]}`],
  [`0a020801${LINK}`, `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${EMPTY_DIR}"},"Name":null,"Tsize":null}]}`]
] as const) {
  test(`a stored dag-pb block ${input || 'of nothing'} shows all its fields`, t => {
    t.is(shown(input), output)
  })
}

test('a node of more links than fit into 2 MiB is not read', t => {
  const smallest = hex('12060a0401550000')
  const wide = (links: number) => Buffer.concat(new Array<Uint8Array>(links).fill(smallest))
  t.is(readPb(wide(MOST_LINKS)).links.length, MOST_LINKS)
  t.throws(() => readPb(wide(MOST_LINKS + 1)), { message: `protobuf: (PBNode) more than ${MOST_LINKS} links` })
})

test('a link is read by the short way as by the long one, whole or broken', t => {
  const told = (bytes: Uint8Array) => {
    try {
      const { links, data } = readPb(bytes)
      return [data, links.map(({ cid, name, tsize }) => [String(cid), name, tsize])]
    } catch (error) {
      return (error as Error).message
    }
  }
  const names = fc.string({ maxLength: 12 })
  const sizes = fc.oneof(fc.nat(300), fc.nat())
  let whole = 0
  const holds = fc.property(cids, names, sizes, fc.nat(80), fc.nat(255), (cid, name, tsize, at, value) => {
    const json = `{"Links":[{"Hash":{"/":"${cid}"},"Name":${JSON.stringify(name)},"Tsize":${tsize}}]}`
    const block = new Uint8Array(made(json))
    if (block[1]! >= 0x80) return
    block[2 + (at % (block.length - 2))] = value
    // the length in two bytes, where one would do, is read the long way
    const long = Uint8Array.from([block[0]!, block[1]! | 0x80, 0, ...block.subarray(2)])
    const [short, other] = [told(block), told(long)]
    if (typeof short !== 'string') whole++
    t.deepEqual(short, other)
  })
  fc.assert(holds, { numRuns: 1000 })
  t.true(whole > 100, `${whole}`)
})

test('input keeps only what is there, in its order', t => {
  const node = dagPb.parse!(hex(`${LINK}0a020801`))
  t.deepEqual([...(node as Map<string, unknown>).keys()], ['Links', 'Data'])
  t.is(text(dagJson.encode!(node)), `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${EMPTY_DIR}"}}]}`)
  t.deepEqual([...(dagPb.parse!(hex('0a020801')) as Map<string, unknown>).keys()], ['Data', 'Links'])
})

refusals(
  'dag-pb',
  [input => dagPb.decode(hex(input)), input => dagPb.links(hex(input))],
  [
    ['1200', 'invalid Hash field found in link, expected CID'],
    ['12040a020000', 'invalid Hash field found in link, expected CID (invalid cid: expected 1 as the cid version number, got: 0)'],
    ['0a0208010a020801', 'protobuf: (PBNode) duplicate Data section'],
    [`${LINK}0a00${LINK}`, 'protobuf: (PBNode) duplicate Links section'],
    ['0801', 'protobuf: (PBNode) invalid wireType, expected 2, got 0'],
    ['0d00000000', 'protobuf: (PBNode) invalid wireType, expected 2, got 5'],
    ['1a00', 'protobuf: (PBNode) invalid fieldNumber, expected 1 or 2, got 3'],
    ['0a05', 'unexpected EOF'],
    ['ff', 'unexpected EOF'],
    ['1228180412001220', 'unexpected EOF'],
    ['0a8080808010', 'unexpected EOF'],
    ['02', 'proto: invalid field number'],
    ['ffffffffffffffffff7f', 'proto: variable length integer overflow'],
    ['120412001200', 'protobuf: (PBLink) duplicate Name section'],
    ['120418041804', 'protobuf: (PBLink) duplicate Tsize section'],
    ['120418041200', 'protobuf: (PBLink) invalid order, found Tsize before Name'],
    ['120412000a00', 'protobuf: (PBLink) invalid order, found Name before Hash'],
    ['12020800', 'protobuf: (PBLink) wrong wireType (0) for Hash'],
    ['12021a00', 'protobuf: (PBLink) wrong wireType (2) for Tsize'],
    ['12022200', 'protobuf: (PBLink) invalid fieldNumber, expected 1, 2 or 3, got 4']
  ]
)

for (const [input, message] of [
  ['{}', 'missing required fields: Links'],
  ['null', 'func called on wrong kind: "AssignNull" called on a dagpb.PBNode node (kind: map), but only makes sense on null'],
  ['1', 'func called on wrong kind: "AssignNode" called on a dagpb.PBNode node (kind: int), but only makes sense on map'],
  ['{"Links":[],"Extra":1}', 'invalid key for map dagpb.PBNode: "Extra": no such field'],
  ['{"Links":{}}', 'func called on wrong kind: "AssignNode" called on a dagpb.PBLinks node (kind: map), but only makes sense on list'],
  ['{"Links":[{}]}', 'missing required fields: Hash'],
  ['{"Links":[],"Data":"x"}', 'func called on wrong kind: "AsBytes" called on a string node (kind: string), but only makes sense on bytes'],
  [
    '{"Links":[],"Data":null}',
    'func called on wrong kind: "AssignNull" called on a dagpb.Bytes node (kind: bytes), but only makes sense on null'
  ],
  [
    `{"Links":[{"Hash":"${EMPTY_DIR}"}]}`,
    'func called on wrong kind: "AsLink" called on a string node (kind: string), but only makes sense on link'
  ],
  [`{"Links":[{"Hash":{"/":"${EMPTY_DIR}"},"Tsize":-1}]}`, 'Link has negative Tsize value [-1]'],
  [`{"Links":[{"Hash":{"/":"${EMPTY_DIR}"},"x":1}]}`, 'invalid key for map dagpb.PBLink: "x": no such field']
] as const) {
  test(`${input} is no dag-pb node: ${message}`, t => {
    t.is(
      failure(() => made(input)),
      message
    )
  })
}

test('links are sorted by the bytes of their names, those of one name stay in order', t => {
  const link = (name: string, tsize: number) => `{"Hash":{"/":"${EMPTY_DIR}"},"Name":"${name}","Tsize":${tsize}}`
  const { links } = readPb(made(`{"Links":[${link('z', 1)},${link('\u{10000}', 2)},${link('\uffff', 3)},${link('a', 4)},${link('z', 5)}]}`))
  t.deepEqual(
    links.map(({ tsize }) => tsize),
    [4, 1, 5, 3, 2]
  )
})

test('what is read from a block is written back', t => {
  const block = `${LINK.replace('1224', '122a')}120164${'18e707'}0a03080102`
  t.is(toHex(dagPb.encode!(dagPb.decode(hex(block)))), block)
  t.is(toHex(dagPb.encode!(dagPb.parse!(hex(block)))), block)
})

test('sizes up to 64 bits come through, and are signed in the data model', t => {
  const block = hex(`${LINK.replace('1224', '122f')}18ffffffffffffffffff01`)
  t.is(dagPb.links(block)[Symbol.iterator]().next().value?.size, 2n ** 64n - 1n)
  t.regex(text(dagJson.encode!(dagPb.decode(block))), /"Tsize":-1/)
})

test('only what follows the schema comes out of another codec', t => {
  const cbor = dagCbor.encode!(dagPb.decode(hex(`${LINK}0a020801`)))
  t.is(
    failure(() => dagPb.encode!(dagCbor.decode(cbor))),
    'func called on wrong kind: "AssignNull" called on a dagpb.String node (kind: string), but only makes sense on null'
  )
})

test('raw takes bytes only', t => {
  t.is(toHex(raw.encode!(raw.decode(hex('0102')))), '0102')
  t.is(
    failure(() => raw.encode!(dagPb.decode(hex('')))),
    'func called on wrong kind: "AsBytes" called on a dagpb.PBNode node (kind: map), but only makes sense on bytes'
  )
})

test('the links of a block are those of its value', t => {
  const link = fc.record({ cid: cids, name: fc.string(), size: fc.maxSafeNat() })
  fc.assert(
    fc.property(fc.array(link, { maxLength: 6 }), list => {
      const links = list.map(
        ({ cid, name, size }) => new Map<string, never>(Object.entries({ Hash: cid, Name: name, Tsize: BigInt(size) }) as never)
      )
      const block = dagPb.encode!(new Map([['Links', links]]))
      const sorted = list.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
      t.deepEqual(
        [...dagPb.links(block)].map(({ cid, name, size }) => [String(cid), name, size]),
        sorted.map(({ cid, name, size }) => [String(cid), name, size])
      )
    })
  )
})

test('only declared errors come from any bytes', t => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x12, 0x18, 0x22, 0x80, 0x01, 0x00), fc.nat(255))
  const bytes = fc.array(byte, { maxLength: 40 }).map(list => Uint8Array.from([...list]))
  fc.assert(
    fc.property(bytes, input => {
      try {
        dagPb.decode(input)
        t.pass()
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }),
    { numRuns: 3000 }
  )
})
