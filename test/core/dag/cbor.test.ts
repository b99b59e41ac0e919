import test from 'ava'
import fc from 'fast-check'
import { cbor, dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { decodeCbor } from '../../../core/dag/codecs/cbor/decode.ts'
import { type Node, Typed } from '../../../core/dag/model.ts'
import { NodeError } from '../../../core/errors.ts'
import { refusals } from './refusals.ts'
import { EMPTY_DIR, failure, hex, nodes, toHex } from './samples.ts'

const again = (input: string) => toHex(dagCbor.encode!(dagCbor.decode(hex(input))))

for (const [what, input, output] of [
  ['an integer in more bytes than it needs', '1b0000000000000001', '01'],
  ['the largest unsigned integer', '1bffffffffffffffff', '1bffffffffffffffff'],
  ['the smallest integer', '3b7fffffffffffffff', '3b7fffffffffffffff'],
  ['indefinite bytes', '5f42010243030405ff', '450102030405'],
  ['an indefinite string', '7f61616162ff', '626162'],
  ['an indefinite list', '9f0102ff', '820102'],
  ['an indefinite map', 'bf616101ff', 'a1616101'],
  ['unsorted keys', 'a262616101616202', 'a261620262616101'],
  ['a string that is no UTF-8', '61ff', '61ff'],
  ['undefined', 'f7', 'f6'],
  ['a float of 16 bits', 'f93c00', 'fb3ff0000000000000'],
  ['the smallest float of 16 bits', 'f90001', 'fb3e70000000000000'],
  ['a float of 32 bits', 'fa3fc00000', 'fb3ff8000000000000'],
  ['a tag on an integer', 'c001', '01'],
  ['a tag on a map', 'd9d9f7a0', 'a0'],
  [
    'a link',
    'd82a582300122059948439065f29619ef41280cbb932be52c56d99c5966b65e0111239f098bbef',
    'd82a582300122059948439065f29619ef41280cbb932be52c56d99c5966b65e0111239f098bbef'
  ]
] as const) {
  test(`dag-cbor takes ${what} and writes it canonically`, t => {
    t.is(again(input), output)
  })
}

refusals(
  'dag-cbor',
  [input => dagCbor.decode(hex(input))],
  [
    ['', 'unexpected EOF'],
    ['18', 'unexpected EOF'],
    ['430102', 'unexpected EOF'],
    ['a16161', 'unexpected EOF'],
    ['830102', 'EOF'],
    ['9f01', 'EOF'],
    ['8143', 'EOF'],
    ['814301', 'unexpected EOF'],
    ['815f4201', 'EOF'],
    ['a1', 'EOF'],
    ['0000', 'unexpected content after end of cbor object'],
    ['ff', 'Invalid majorByte: 0xff'],
    ['81ff', 'Invalid majorByte: 0xff'],
    ['f820', 'Invalid majorByte: 0xf8'],
    ['1c', 'decodeUint: Invalid descriptor: 28'],
    ['3bffffffffffffffff', 'cbor: negative integer out of rage of int64 type'],
    ['9bffffffffffffffff', 'cbor: positive integer is out of length'],
    ['bb00000000ffffffff', 'message structure demanded too many resources to process'],
    ['5a02000001', 'cbor: decoding rejected oversized byte field: 33554433 is too large'],
    ['7b7fffffffffffffff', 'cbor: decoding rejected oversized string field: 9223372036854775807 is too large'],
    ['3b8000000000000000', 'cbor: negative integer out of rage of int64 type'],
    ['5f6161ff', 'cbor: expect bytes or string major type in indefinite string/bytes; got: 96, byte: 97'],
    ['bf6161ff', 'unexpected break; expected value in indefinite-length map'],
    ['a2616101616102', 'cannot repeat map key "a"'],
    ['a10102', 'unexpected uint token while expecting map key'],
    ['a12002', 'unexpected int token while expecting map key'],
    ['a1416101', 'unexpected bytes token while expecting map key'],
    ['a1f601', 'unexpected null token while expecting map key'],
    ['a1f401', 'unexpected bool token while expecting map key'],
    ['a1f93c0001', 'unexpected float token while expecting map key'],
    ['a18001', 'unexpected array open token while expecting map key'],
    ['a1a001', 'unexpected map open token while expecting map key'],
    ['c240', 'unhandled cbor tag 2'],
    ['c1c101', 'unsupported multiple tags on a single data item'],
    ['d82a40', 'invalid multibase on IPLD link'],
    ['d82a4101', 'invalid multibase on IPLD link'],
    ['d82a4100', 'invalid cid: invalid cid: varints malformed, could not reach the end']
  ]
)

test('cbor refuses links both ways', t => {
  const link = dagCbor.decode(hex('d82a582300122059948439065f29619ef41280cbb932be52c56d99c5966b65e0111239f098bbef'))
  t.is(String(link), EMPTY_DIR)
  t.is(
    failure(() => cbor.encode!(link)),
    'cannot Marshal ipld links to CBOR'
  )
  t.is(
    failure(() => cbor.decode(dagCbor.encode!(link))),
    'unhandled cbor tag 42'
  )
})

test('cbor keeps the order of keys', t => {
  t.is(toHex(cbor.encode!(cbor.decode(hex('a2616201616102')))), 'a2616201616102')
})

test('an encoder that fails hands over what it had written', t => {
  let written = ''
  const map = new Map<string, Node>([
    ['a', 1n],
    ['b', [2n, dagCbor.decode(hex('d82a582300122059948439065f29619ef41280cbb932be52c56d99c5966b65e0111239f098bbef'))]]
  ])
  failure(() => cbor.encode!(map, { onFailure: bytes => (written = toHex(bytes)) }))
  t.is(written, 'a2616101616282' + '02')
})

test('an encoding that grows beyond its limit is an error', t => {
  t.is(
    failure(() => dagCbor.encode!(['x'.repeat(100)], { limit: 50 })),
    'encoding takes more than 50 bytes (plugins.dag.maxOutput)'
  )
})

test('an unsigned integer is written up to 64 bits, of whatever type', t => {
  for (const value of [2n ** 64n - 1n, new Typed('int', 2n ** 64n - 1n)]) t.is(toHex(dagCbor.encode!([value])), '811bffffffffffffffff')
  t.is(
    failure(() => dagCbor.encode!(2n ** 64n)),
    'unsigned integer out of range of uint64 type'
  )
})

test('nesting deeper than any stack works', t => {
  const depth = 200_000
  const input = Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0x80])])
  t.deepEqual(Buffer.from(dagCbor.encode!(dagCbor.decode(input))), input)
  t.is([...dagCbor.links(input)].length, 0)
  const maps = Buffer.concat([...Array.from({ length: 20_000 }, () => Buffer.from('a16161', 'hex')), Buffer.from([0xf6])])
  t.deepEqual(Buffer.from(dagCbor.encode!(dagCbor.decode(maps))), maps)
})

test('nesting that costs more than the budget is refused', t => {
  t.is(
    failure(() => dagCbor.decode(Buffer.alloc(3_000_000, 0x81))),
    'message structure demanded too many resources to process'
  )
})

test('dag-cbor brings back any value', t => {
  fc.assert(
    fc.property(nodes, node => {
      const bytes = dagCbor.encode!(node)
      const decoded = dagCbor.decode(bytes)
      t.deepEqual(dagCbor.encode!(decoded), bytes)
    }),
    { numRuns: 300 }
  )
})

test('only declared errors come from any bytes, and what is read can be written', t => {
  const head = fc.constantFrom(0x80, 0x9f, 0xa1, 0xbf, 0xd8, 0x5f, 0x7f, 0x61, 0x18, 0xff, 0x2a, 0xf9)
  const bytes = fc.array(fc.oneof(head, fc.nat(255)), { maxLength: 30 }).map(list => Uint8Array.from(list))
  fc.assert(
    fc.property(bytes, input => {
      try {
        t.truthy(dagCbor.encode!(decodeCbor(input, { links: true })))
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }),
    { numRuns: 3000 }
  )
})
