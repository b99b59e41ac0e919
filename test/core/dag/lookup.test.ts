import test from 'ava'
import { Codecs } from '../../../core/dag/codecs/codecs.ts'
import { dagPb } from '../../../core/dag/codecs/dag-pb.ts'
import { codecsWithin } from '../../../core/dag/codecs/standard.ts'
import { dagErrors } from '../../../core/dag/errors.ts'
import { plain } from '../../../core/dag/model.ts'
import { lookup } from '../../../core/dag/walk/lookup.ts'
import { hasCode } from '../../../core/errors.ts'
import { dagJson } from './codecs.ts'
import { failure, hex, utf8 } from './samples.ts'

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
