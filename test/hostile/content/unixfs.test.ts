import test from 'ava'
import { tarNames } from '../../helpers/streams.ts'
import { type Attack, attacks, failed } from '../support/attack.ts'
import { DAG_PB, fieldOf, Made, RAW, stored, unixfs } from '../support/blocks.ts'
import { startTarget, type Target } from '../support/node.ts'

type Fields = Parameters<typeof unixfs>[0]

/** A shard of these fields with one entry under this name. */
function shard(name: string, fields: Fields, listed: { text: string } | { error: string | RegExp }, entry = '00a'): Attack {
  return {
    name,
    async make(target) {
      const made = new Made()
      const leaf = await made.add(RAW, Buffer.from('x'))
      const cid = await made.pb(unixfs({ type: 5, hash: 0x22, fanout: 256n, data: Uint8Array.of(1), ...fields }), [[entry, leaf, 1]])
      await made.into(target)
      const link = `{"Name":"a","Hash":"${leaf}","Size":1,"Type":2,"Target":""}`
      const ls =
        'error' in listed
          ? { status: 500, text: typeof listed.error === 'string' ? failed(listed.error) : listed.error }
          : { status: 200, text: `{"Objects":[{"Hash":"${cid}","Links":[${link}]}]}\n` }
      return [
        { path: `ls?arg=${cid}`, expect: ls },
        { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, text: `{"Ref":"${leaf}","Err":""}\n` } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } }
      ]
    }
  }
}

const shards: readonly Attack[] = [
  shard('a shard 2^31 wide', { fanout: 2n ** 31n }, { error: 'hamt witdh (2147483648) exceed maximum allowed (1024)' }),
  shard('a shard 2^63 wide', { fanout: 2n ** 63n }, { error: 'hamt witdh (9223372036854775808) exceed maximum allowed (1024)' }),
  shard('a shard 2,048 wide', { fanout: 2048n }, { error: 'hamt witdh (2048) exceed maximum allowed (1024)' }),
  shard('a shard 3 wide', { fanout: 3n }, { error: 'hamt size should be a power of two' }),
  shard('a shard 0 wide', { fanout: 0n }, { error: 'hamt size should be a power of two' }),
  shard('a shard 4 wide', { fanout: 4n }, { error: 'bitfield size must be a multiple of 8; got 4' }),
  shard('a shard with another hash function', { hash: 0x12 }, { error: 'only murmur3 supported as hash function' }),
  shard(
    'a shard with a bitfield that is too long',
    { data: new Uint8Array(100).fill(255) },
    { error: /has 1 links, and 256 by its bit field/ }
  ),
  shard('a shard without a bitfield', { data: undefined }, { error: /has 1 links, and 0 by its bit field/ }),
  shard('a shard whose prefix is no number', {}, { error: /the link 'ZZa' of the shard \w+ stands in slot 00/ }, 'ZZa'),
  shard('a shard whose entry is where its hash does not lead', {}, { error: /the entry 'a' stands in the shard \w+, where/ }),
  shard('a shard with an entry', { data: fieldOf([0x85]) }, { text: 'a' }, '85a'),
  shard('a shard with a name that is too short', {}, { error: "invalid link name '0'" }, '0'),
  shard('a shard below which lies no shard', {}, { error: 'expected protobuf dag node' }, '00')
]

/** A file of these fields: what cat and get say, which is the same. */
function file(name: string, fields: Fields, cat: { error: string | RegExp } | { said: bigint }): Attack {
  return {
    name,
    async make(target) {
      const cid = await stored(target, DAG_PB, pbOf(unixfs(fields)))
      const error = 'error' in cat ? cat.error : `the node ${cid} of the file says that it has ${cat.said} bytes, and that its parts have 1`
      const refused = { status: 500, text: typeof error === 'string' ? failed(error) : error }
      return [
        { path: `cat?arg=${cid}`, expect: refused },
        { path: `get?arg=${cid}`, expect: refused },
        { path: `ls?arg=${cid}`, expect: { status: fields.type === undefined ? 500 : 200 } }
      ]
    }
  }
}

/** A dag-pb block with these data and no links. */
function pbOf(data: Uint8Array): Uint8Array {
  return Uint8Array.of(0x0a, data.length, ...data)
}

const data = Buffer.from('x')
const files: readonly Attack[] = [
  file('a file that declares 2^63 bytes', { type: 2, size: 2n ** 63n, data }, { said: 2n ** 63n }),
  file('a file that declares 2^64 - 1 bytes', { type: 2, size: 2n ** 64n - 1n, data }, { said: 2n ** 64n - 1n }),
  file('a file that declares 2^62 bytes and has one', { type: 2, size: 2n ** 62n, data }, { said: 2n ** 62n }),
  file(
    'a file that declares blocks it does not have',
    { type: 2, size: 1n, sizes: [1n, 2n ** 63n], data },
    { error: /has 0 parts, and says of 2 how large they are/ }
  ),
  file('an unknown type', { type: 9, data }, { error: 'unrecognized node type' }),
  file('no type', { data }, { error: 'proto: required field "Type" not set' }),
  file('metadata about nothing', { type: 3 }, { error: 'incorrectly formatted metadata object' })
]

attacks(test, [...shards, ...files])

let target: Target
test.before(async () => {
  target = await startTarget()
})
test.after.always(() => target?.stop())

const noName = (name: string) => `an entry of the folder is called "${name}", which is no name of a file: read it by its CID`
const LEADS_OUT = 'relative UnixFS paths outside the root are now allowed, use CAR instead'

for (const [name, found] of [
  ['..', { error: LEADS_OUT }],
  ['../../x', { error: LEADS_OUT }],
  ['a\0b', { error: 'archive/tar: invalid tar header: there is a NUL in the name of "NAME/a\\u0000b", which no archive can hold' }],
  ['/etc/passwd', { error: noName('/etc/passwd') }],
  ['a/b', { error: noName('a/b') }],
  ['a/../../x', { error: LEADS_OUT }],
  ['.', { error: noName('.') }],
  ['', { error: noName('') }],
  ['a\\..\\b', { entry: '/a\\..\\b' }],
  ['a\nb', { entry: '/a\nb' }],
  ['n'.repeat(300), { entry: `/${'n'.repeat(300)}` }],
  ['h'.repeat(100_000), { entry: `/${'h'.repeat(100_000)}` }]
] as const) {
  test.serial(`an archive with an entry called ${JSON.stringify(name.slice(0, 20))} stays below its root for who unpacks it`, async t => {
    const made = new Made()
    const content = await made.pb(unixfs({ type: 2, data: Buffer.from('hi'), size: 2n }))
    const cid = await made.pb(unixfs({ type: 1 }), [[name, content, 10]])
    await made.into(target)
    const response = await fetch(`http://127.0.0.1:${target.port}/api/v0/get?arg=${cid}`, { method: 'POST' })
    const archive = Buffer.from(await response.arrayBuffer())
    const { error } = await target.ask({ path: `get?arg=${cid}` })
    if ('error' in found) {
      t.is(error, found.error.replace('NAME', String(cid)))
      t.is(archive.length, 0)
      return
    }
    t.is(error, undefined)
    t.deepEqual(await tarNames(archive), [String(cid), `${cid}${found.entry}`])
  })
}
