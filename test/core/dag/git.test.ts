import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import test from 'ava'
import { cidToString } from '../../../core/cid/parse.ts'
import { gitRawCodec, gitZlibCodec } from '../../../core/dag/codecs/git/git.ts'
import { type Node, plain } from '../../../core/dag/model.ts'
import { lookup } from '../../../core/dag/walk/lookup.ts'
import { dagJson, gitRaw, gitZlib } from './codecs.ts'
import { refusals } from './refusals.ts'
import { failure, text, utf8 } from './samples.ts'

const object = (type: string, content: string | Buffer) =>
  Uint8Array.from(Buffer.concat([Buffer.from(`${type} ${Buffer.byteLength(content)}\0`), Buffer.from(content)]))
const sha = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex')

const BLOB = object('blob', 'hello')
const TREE = object(
  'tree',
  Buffer.concat([
    Buffer.from('100644 a.txt\u0000'),
    Buffer.from(sha(BLOB), 'hex'),
    Buffer.from('40000 é\u0000'),
    Buffer.from(sha(BLOB), 'hex')
  ])
)
const PERSON = 'Some One <some@example.org> 1503667703 +0200'
const TAG = `object ${sha(BLOB)}\ntype commit\ntag v1\ntagger ${PERSON}\n\nthe first\n`
const COMMIT = `tree ${sha(TREE)}
parent ${sha(BLOB)}
parent ${sha(TREE)}
author ${PERSON}
committer ${PERSON}
encoding ISO-8859-1
mergetag object ${sha(BLOB)}
 type commit
 tag v1
 tagger ${PERSON}
 
 the first
gpgsig -----BEGIN PGP SIGNATURE-----
 
 iQIcBAABAgAGBQJXYRhOAAoJEO
 -----END PGP SIGNATURE-----
other line

Merge it

all
`

for (const [what, bytes] of [
  ['blob', BLOB],
  ['tree', TREE],
  ['tag', object('tag', TAG)],
  ['commit', object('commit', COMMIT)],
  ['commit without parents or message', object('commit', `tree ${sha(TREE)}\nauthor ${PERSON}\ncommitter ${PERSON}\n\n`)]
] as const) {
  test(`a ${what} comes back byte for byte`, t => {
    t.is(text(gitRaw.encode!(gitRaw.decode(bytes))), text(bytes))
    t.deepEqual(Uint8Array.from(gitRaw.encode!(gitRaw.decode(bytes))), bytes)
    t.is(text(gitRaw.encode!(gitZlib.decode(deflateSync(bytes)))), text(bytes))
  })
}

test('an author is a name, an address, a time and a zone, as far as they are there', t => {
  const author = (line: string) => text(dagJson.encode!(lookup(gitRaw.decode(object('commit', `author ${line}\n`)), 'author')))
  const shown = (date: string, timezone: string, email: string, name: string) => JSON.stringify({ date, email, name, timezone })
  t.is(author('A B <a@b> 1 +0200'), shown('1', '+0200', 'a@b', 'A B'))
  t.is(author('<a@b> 1'), shown('1', '', 'a@b', ''))
  t.is(author(' <a@b>'), shown('', '', 'a@b', ''))
  t.is(author('A <B> <C> 1 2 3'), shown('<C>', '1', 'B', 'A'))
  t.is(author('A\r <a@b>'), shown('', '', 'a@b', 'A\r'))
  for (const line of ['A', 'A <', 'A >', 'A<a@b>', '']) t.throws(() => author(line), { code: 'E_GIT_PERSON' }, line)
})

test('links are git objects by their SHA-1', t => {
  const [first] = gitRaw.links(TREE)
  t.is(Buffer.from(first!.cid.multihash.digest).toString('hex'), sha(BLOB))
  t.is(first!.cid.code, 0x78)
  t.is([...gitRaw.links(object('commit', COMMIT))].length, 4)
})

test('the parts of a commit can be looked up and shown', t => {
  const commit = gitRaw.decode(object('commit', COMMIT))
  const at = (...path: string[]) => plain(path.reduce<Node>(lookup, commit))
  t.is(at('author', 'email'), 'some@example.org')
  t.is(at('mergetag', '0', 'tag'), 'v1')
  t.is(at('message'), 'Merge it\n\nall\n')
  t.deepEqual(at('other'), ['other line'])
  const shown = JSON.parse(text(dagJson.encode!(gitRaw.decode(TREE))))
  t.deepEqual(shown['a.txt'], { mode: '100644', hash: { '/': cidToString([...gitRaw.links(TREE)][0]!.cid) } })
})

refusals(
  'git',
  [input => gitRaw.decode(utf8(input))],
  [
    ['{}', 'unexpected EOF'],
    ['nope 1\0x', 'unrecognized object type: nope'],
    ['blob 2\0x', 'blob size was not accurate'],
    ['blob x\0x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['tree 9\u0000100644 a\u0000short', 'unexpected EOF'],
    ['commit 5\0tree x', 'invalid object name: "x"']
  ]
)

test('a map that is no git object is told so as a commit', t => {
  t.is(
    failure(() => gitRaw.encode!(dagJson.decode(utf8('{"Data":1}')))),
    'not a Commit: *basicnode.plainMap invalid key for map ipldgit.Commit.Repr: "Data": no such field'
  )
  t.is(
    failure(() => gitRaw.encode!(dagJson.decode(utf8('{"message":"x","parents":[]}')))),
    'not a Commit: *basicnode.plainMap missing required fields: tree,mergetag,other'
  )
})

test('compressed input becomes no larger than a node may be', t => {
  const bomb = deflateSync(object('commit', 'x\n'.repeat(20_000_000)))
  t.true(bomb.length < 50_000)
  t.throws(() => gitZlib.decode(bomb), {
    code: 'E_INPUT_TOO_LARGE',
    message: 'input takes more than 33554432 bytes (plugins.dag.maxInput)'
  })
  t.throws(() => gitZlibCodec({ maxInput: 100 }).decode(deflateSync(object('blob', 'x'.repeat(100)))), { code: 'E_INPUT_TOO_LARGE' })
  t.notThrows(() => gitZlibCodec({ maxInput: 109 }).decode(deflateSync(object('blob', 'x'.repeat(100)))))
})

test('an object has a million values at most: a line is one, an entry of a tree, which takes as much time and memory, four', t => {
  const most = 1_000_000
  t.notThrows(() => gitRaw.decode(object('commit', 'x\n'.repeat(most))))
  t.throws(() => gitRaw.decode(object('commit', 'x\n'.repeat(most + 1))), {
    code: 'E_GIT_VALUES',
    message: 'more than 1000000 values in one git object: this node reads no more (plugins.dag.maxValues)'
  })
  const three = object('tree', Buffer.concat([...'abc'].map(name => Buffer.from(`1 ${name}\0${'h'.repeat(20)}`))))
  t.notThrows(() => gitRawCodec(12).decode(three))
  t.throws(() => gitRawCodec(11).decode(three), { code: 'E_GIT_VALUES' })
})

test('compressed input that is none is refused', t => {
  t.regex(
    failure(() => gitZlib.decode(utf8('nope'))),
    /^zlib: /
  )
})
