import test from 'ava'
import fc from 'fast-check'
import { cbor, dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { decodeCbor } from '../../../core/dag/codecs/cbor/decode.ts'
import { Codecs } from '../../../core/dag/codecs/codecs.ts'
import { dagPb } from '../../../core/dag/codecs/dag-pb.ts'
import { decodeJson } from '../../../core/dag/codecs/json/decode.ts'
import { codecsWithin } from '../../../core/dag/codecs/standard.ts'
import { dagErrors } from '../../../core/dag/errors.ts'
import { kindOf, linksIn, type Node, plain } from '../../../core/dag/model.ts'
import { lookup } from '../../../core/dag/walk/lookup.ts'
import { hasCode } from '../../../core/errors.ts'
import { dagJson, json } from './codecs.ts'
import { JSON_PIECES } from './json-pieces.ts'
import { EMPTY_DIR, failure, hex, nodes, utf8 } from './samples.ts'

const node = dagJson.decode(utf8('{"leaf":{"deep":[10,20,{"x":"y"}]},"0":"zero","":1}'))
const at = (...path: string[]) => plain(path.reduce(lookup, node))

test('a path leads through maps and lists', t => {
  t.is(at('leaf', 'deep', '2', 'x'), 'y')
  t.is(at('leaf', 'deep', '00'), 10n)
  t.is(at('0'), 'zero')
  t.is(at(''), 1n)
})

for (const [path, message] of [
  ['nope', 'key not found: "nope"'],
  ['leaf/deep/3', 'key not found: "3"'],
  ['leaf/deep/003', 'key not found: "3"'],
  ['leaf/deep/x', 'invalid segment for lookup on a list: "x": strconv.ParseInt: parsing "x": invalid syntax'],
  ['0/x', 'func called on wrong kind: "LookupBySegment" called on a string node (kind: string), but only makes sense on map or list']
] as const) {
  test(`${path} leads nowhere: ${message}`, t => {
    t.is(
      failure(() => at(...path.split('/'))),
      message
    )
  })
}

test('a field that a schema does not have is told apart from a missing key', t => {
  const block = dagPb.decode(hex('0a020801'))
  t.true(
    hasCode(
      t.throws(() => lookup(block, 'Nope')),
      'E_NO_SUCH_FIELD'
    )
  )
  t.is(
    failure(() => lookup(lookup(block, 'Data'), 'x')),
    'func called on wrong kind: "LookupBySegment" called on a dagpb.Bytes node (kind: bytes), but only makes sense on map or list'
  )
})

test('a registry finds codecs by code and by name, and takes one more', t => {
  const codecs = new Codecs(codecsWithin())
  t.is(codecs.byCode(0x71), codecs.byName('dag-cbor'))
  t.is(
    failure(() => codecs.decoder(176)),
    'no decoder registered for multicodec code 176 (0xb0)'
  )
  t.is(
    failure(() => codecs.reader(176)),
    'could not choose a decoder: no decoder registered for multicodec code 176 (0xb0)'
  )
  codecs.add({ name: 'bitcoin-block', code: 176, decode: bytes => bytes, links: () => [] })
  t.is(codecs.decoder(176).name, 'bitcoin-block')
  t.is(
    failure(() => codecs.encoder(176)),
    'no encoder registered for multicodec code 176 (0xb0)'
  )
  t.is(
    failure(() => codecs.add(dagPb)),
    dagErrors.E_CODEC_TAKEN('dag-pb', 0x70).message
  )
})

/** Bytes that are nearly a block: those of a value, one of them changed, or what falls together. */
const head = fc.constantFrom(0x80, 0x82, 0x9f, 0xa1, 0xa2, 0xbf, 0xd8, 0x5f, 0x61, 0x60, 0x18, 0xff, 0x2a, 0x01)
const falling = fc.array(fc.oneof(head, fc.nat(255)), { maxLength: 30 }).map(list => Uint8Array.from(list))
const changed = (encode: (node: Node) => Uint8Array) =>
  fc.tuple(nodes, fc.nat(), fc.option(fc.nat(255))).map(([node, at, byte]) => {
    const bytes = Uint8Array.from(encode(node))
    if (byte !== null) bytes[at % bytes.length] = byte
    return bytes
  })
const pieces = fc.array(fc.constantFrom(...JSON_PIECES, EMPTY_DIR), { maxLength: 25 }).map(some => utf8(some.join('')))
const paths = fc.array(fc.oneof(fc.constantFrom('0', '1', '01', '-1', '', 'a', '/'), fc.string({ maxLength: 5 })), {
  minLength: 1,
  maxLength: 4
})

/** What comes of it: a value as text, or the words of the error. */
function outcome(read: () => unknown): string {
  try {
    return String(read())
  } catch (error) {
    return `failed: ${(error as Error).message}`
  }
}

function found(block: Node, path: readonly string[]): string {
  let at = block
  for (const segment of path) at = kindOf(at) === 'link' ? at : lookup(at, segment)
  // a list or map where the path ends may be empty
  return typeof plain(at) === 'object' && ['list', 'map'].includes(kindOf(at)) ? kindOf(at) : String(plain(at))
}

for (const [codec, decode, blocks] of [
  [dagCbor, (bytes: Uint8Array) => decodeCbor(bytes, { links: true }), fc.oneof(falling, changed(dagCbor.encode!))],
  [cbor, (bytes: Uint8Array) => decodeCbor(bytes, { links: false }), falling],
  [dagJson, (bytes: Uint8Array) => decodeJson(bytes, { special: true, lenient: true }), fc.oneof(pieces, changed(dagJson.encode!))],
  [json, (bytes: Uint8Array) => decodeJson(bytes, { special: false, lenient: true }), pieces]
] as const) {
  test(`the links of ${codec.name} read without the value are those of the value, and so is what is wrong`, t => {
    fc.assert(
      fc.property(blocks, bytes => {
        t.is(
          outcome(() => Array.from(codec.links(bytes), ({ cid }) => cid)),
          outcome(() => [...linksIn(decode(bytes))])
        )
      }),
      { numRuns: 3000 }
    )
  })

  test(`a path through ${codec.name} leads where it leads in the whole value, and what is wrong beside it is told`, t => {
    fc.assert(
      fc.property(blocks, paths, (bytes, path) => {
        t.is(
          outcome(() => found(codec.along!(bytes, path), path)),
          outcome(() => found(codec.decode(bytes), path))
        )
      }),
      { numRuns: 3000 }
    )
  })
}

test('lists and maps beside a path are not kept', t => {
  const block = dagCbor.along!(dagCbor.encode!([[[1n], new Map([['a', [2n]]])], [3n]]), ['0', '1', 'a'])
  t.deepEqual(block, [[[], new Map([['a', []]])], []])
  t.deepEqual(dagJson.along!(utf8('[[[1],{"a":[2]}],[3]]'), ['0', '1', 'a']), block)
})
