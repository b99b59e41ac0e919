import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { parseCid } from '../../../core/cid/index.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import type { Json, NodeConfig } from '../../../core/index.ts'
import { translated } from '../../../plugins/migrate/kubo/config.ts'
import { Flatfs, shardOf } from '../../../plugins/migrate/kubo/flatfs.ts'
import { pinEntries, readPin } from '../../../plugins/migrate/kubo/pins.ts'
import { readReference, referenceEntry } from '../../../plugins/migrate/kubo/records.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

test('files of blocks lie where the function of their folder says', t => {
  const folders = (text: string) => ['CIQJ23ABC', 'AB', 'A'].map(key => shardOf(text)!(key))
  t.deepEqual(folders('/repo/flatfs/shard/v1/next-to-last/2'), ['AB', '_A', '__'])
  t.deepEqual(folders('/repo/flatfs/shard/v1/next-to-last/3'), ['3AB', '__A', '___'])
  t.deepEqual(folders('/repo/flatfs/shard/v1/prefix/4\n'), ['CIQJ', 'AB__', 'A___'])
  t.deepEqual(folders('/repo/flatfs/shard/v1/suffix/3'), ['ABC', '_AB', '__A'])
  for (const text of ['', '/repo/flatfs/shard/v2/prefix/2', '/repo/flatfs/shard/v1/prefix/0', '/repo/flatfs/shard/v1/middle/2']) {
    t.is(shardOf(text), undefined)
  }
})

for (const sharding of ['/repo/flatfs/shard/v1/prefix/5', '/repo/flatfs/shard/v1/suffix/2', '/repo/flatfs/shard/v1/next-to-last/3']) {
  test(`blocks are found under ${sharding}`, async t => {
    const root = await temporaryFolder(t)
    const key = 'CIQBDBGZTHZD5SWWZSTDFJVE2JS3VHCHAIXRWVJMFGPTBBUOWAML23Y'
    await writeFile(join(root, 'SHARDING'), `${sharding}\n`)
    await mkdir(join(root, shardOf(sharding)!(key)))
    await writeFile(join(root, shardOf(sharding)!(key), `${key}.data`), 'x')
    const found: string[] = []
    for await (const { path } of (await Flatfs.open(root, sharding)).files()) found.push(path.slice(root.length + 1))
    t.deepEqual(found, [join(shardOf(sharding)!(key), `${key}.data`)])
  })
}

test('a pin keeps a name that is no UTF-8, there and back', t => {
  const cid = parseCid('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  const name = decodeUtf8(Buffer.from('caf\xe9', 'latin1'))
  const [[key, value]] = pinEntries({ cid, mode: 'recursive', name }) as [readonly [string, Uint8Array]]
  t.true(Buffer.from(value).includes(Buffer.from('caf\xe9', 'latin1')))
  t.is(readPin(key, value, 'folder').name, name)
})

const peers = { bootstrapPeers: ['/dns4/one', '/dns4/two'] }
const told = (config: NodeConfig) => translated(config, peers)

test('a configuration of 0.28 stays as it is', t => {
  const config = { Bootstrap: ['/dns4/mine'], DNS: { Resolvers: { 'eth.': 'https://x' } }, Reprovider: { Interval: '1h' }, Own: { a: [1] } }
  t.deepEqual(told(config), { config, changes: [] })
})

test("what a configuration calls 'auto', or says of providing in the words of 0.39, is put in those of 0.28", t => {
  const cases: ReadonlyArray<readonly [Json, Json, number]> = [
    [{ Bootstrap: ['auto', '/dns4/two', '/dns4/mine'] }, { Bootstrap: ['/dns4/one', '/dns4/two', '/dns4/mine'] }, 1],
    [{ DNS: { Resolvers: { '.': 'auto', 'eth.': 'https://x' } } }, { DNS: { Resolvers: { 'eth.': 'https://x' } } }, 1],
    [{ Routing: { DelegatedRouters: ['auto', 'https://x'] } }, { Routing: { DelegatedRouters: ['https://x'] } }, 1],
    [{ Provide: { Enabled: false } }, { Provide: { Enabled: false }, Reprovider: { Interval: '0' } }, 1],
    [{ Provide: { Strategy: 'pinned+mfs' } }, { Provide: { Strategy: 'pinned+mfs' }, Reprovider: { Strategy: 'pinned+mfs' } }, 1],
    [{ Provide: { Strategy: 'pinned+some' }, Reprovider: {} }, { Provide: {}, Reprovider: {} }, 1],
    [
      { Provide: { Strategy: 'mfs', DHT: { Interval: '9h' } } },
      { Provide: { Strategy: 'mfs', DHT: { Interval: '9h' } }, Reprovider: { Strategy: 'mfs', Interval: '9h' } },
      2
    ],
    [
      { Import: { UnixFSHAMTDirectorySizeThreshold: '1KiB' } },
      { Import: { UnixFSHAMTDirectorySizeThreshold: '1KiB' }, Internal: { UnixFSShardingSizeThreshold: '1KiB' } },
      1
    ]
  ]
  for (const [before, after, count] of cases) {
    const whole = structuredClone(before)
    const { config, changes } = told(before as NodeConfig)
    t.deepEqual(config, after as NodeConfig)
    t.is(changes.length, count, changes.join())
    t.deepEqual(before, whole)
  }
})

test('a reference is read as it is written, and one that is damaged is named', t => {
  const reference = { multihash: Uint8Array.from([0, 3, 1, 2, 3]), path: 'files/ä', offset: 3_000_000_000, size: 262_144 }
  const [key, value] = referenceEntry(reference)
  t.deepEqual(readReference(key, value, '/datastore'), reference)
  for (const [k, v] of [
    [key, value.subarray(0, 5)],
    [key, new Uint8Array(0)],
    ['/filestore/nonsense', value]
  ] as const) {
    const error = t.throws(() => readReference(k, v, '/datastore'), { code: 'E_KUBO_FILE' })
    t.true(error.message.includes(k) && error.message.startsWith('/datastore'))
  }
})
