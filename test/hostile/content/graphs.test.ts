import test from 'ava'
import type { CID } from 'multiformats/cid'
import { type Attack, attacks, failed, type Step } from '../support/attack.ts'
import { DAG_CBOR, inlined, Made, RAW, unixfs } from '../support/blocks.ts'
import type { Target } from '../support/node.ts'

const LONG = 20_000
const MIB = 1 << 20
const DEEP = /the shard \w+ stands deeper than the 64 bits of a hash lead/

/** A list of blocks, each linking to the one before. @returns the CID of the last one */
async function chain(
  target: Target,
  length: number,
  first: (made: Made) => Promise<CID>,
  next: (made: Made, cid: CID) => Promise<CID>
): Promise<CID> {
  const made = new Made()
  let cid = await first(made)
  for (let i = 0; i < length; i++) cid = await next(made, cid)
  await made.into(target)
  return cid
}

const folder = (made: Made, cid: CID) => made.pb(unixfs({ type: 1 }), [['a', cid, 1]])
const inner = (made: Made, cid: CID) => made.pb(unixfs({ type: 2, size: 1n, sizes: [1n] }), [['', cid, 1]])

/** `{"a": link}` */
function map(made: Made, cid: CID): Promise<CID> {
  const head = [0xa1, 0x61, 0x61, 0xd8, 0x2a, 0x58, cid.bytes.length + 1, 0]
  return made.add(DAG_CBOR, Uint8Array.of(...head, ...cid.bytes))
}

/** What visits every block of a graph in which each CID takes as many characters. */
function visits(cid: CID, blocks: number): Step[] {
  const text = cid.toString()
  const stat = new RegExp(`"UniqueBlocks":${blocks},`)
  return [
    { path: `refs?recursive=true&arg=${text}`, expect: { status: 200, bytes: (blocks - 1) * (text.length + 20) } },
    { path: `pin/add?arg=${text}`, expect: { status: 200, text: `{"Pins":["${text}"]}\n` } },
    { path: `pin/ls?arg=${text}&type=recursive`, expect: { status: 200, text: `{"Keys":{"${text}":{"Type":"recursive","Name":""}}}\n` } },
    { path: 'pin/ls?type=indirect&stream=true', expect: { status: 200 } },
    { path: 'pin/verify', expect: { status: 200, text: '' } },
    { path: `dag/stat?progress=false&arg=${text}`, expect: { status: 200, text: stat } },
    { path: `dag/export?arg=${text}`, expect: { status: 200 } },
    { path: `pin/rm?arg=${text}`, expect: { status: 200, text: `{"Pins":["${text}"]}\n` } }
  ]
}

const chains: readonly Attack[] = [
  {
    name: 'folders 20,000 deep, visited',
    patience: 300,
    async make(target) {
      return visits(await chain(target, LONG, made => made.pb(unixfs({ type: 1 })), folder), LONG + 1)
    }
  },
  {
    name: 'folders 20,000 deep, followed by a path',
    patience: 300,
    async make(target) {
      const cid = await chain(target, LONG, made => made.pb(unixfs({ type: 1 })), folder)
      const path = `${cid}${'/a'.repeat(LONG)}`
      return [
        {
          path: `dag/resolve?arg=${path}`,
          expect: { status: 200, text: '{"Cid":{"/":"bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354"},"RemPath":""}\n' }
        },
        { path: `ls?arg=${path}`, expect: { status: 200 } },
        { path: `dag/resolve?arg=${path}${'/b'.repeat(80_000)}`, expect: { status: 500 } },
        { path: `get?arg=${cid}`, leave: 8 * MIB, expect: { status: 200 } }
      ]
    }
  },
  {
    name: 'folders 20,000 deep, kept by a collection and then collected',
    patience: 300,
    async make(target) {
      const cid = await chain(target, LONG, made => made.pb(unixfs({ type: 1 })), folder)
      return [
        { path: `pin/add?arg=${cid}`, expect: { status: 200 } },
        { path: 'repo/gc?silent=true', expect: { status: 200, text: '' } },
        { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, bytes: LONG * (cid.toString().length + 20) } },
        { path: `pin/rm?arg=${cid}`, expect: { status: 200 } },
        { path: 'repo/gc?silent=true', expect: { status: 200, text: '' } },
        { path: `block/stat?arg=${cid}`, expect: { status: 500 } }
      ]
    }
  },
  {
    name: 'dag-cbor maps 5,000 deep, visited and followed by a path',
    patience: 300,
    async make(target) {
      const cid = await chain(target, 5000, made => made.add(DAG_CBOR, Uint8Array.of(0xa0)), map)
      return [...visits(cid, 5000 + 1), { path: `resolve?arg=/ipfs/${cid}${'/a'.repeat(5000)}`, expect: { status: 200 } }]
    }
  },
  {
    name: 'a file of 20,000 nodes in a row, with one byte at their end',
    patience: 300,
    async make(target) {
      const cid = await chain(target, LONG, made => made.add(RAW, Buffer.from('x')), inner)
      return [
        { path: `cat?arg=${cid}`, expect: { status: 200, text: 'x' } },
        { path: `cat?offset=1&arg=${cid}`, expect: { status: 200, text: '' } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 2048 } }
      ]
    }
  },
  {
    name: 'UnixFS metadata about metadata, 5,000 times',
    async make(target) {
      const file = (made: Made) => made.pb(unixfs({ type: 2, data: Buffer.from('x'), size: 1n }))
      const cid = await chain(target, 5000, file, (made, about) => made.pb(unixfs({ type: 3 }), [['', about, 1]]))
      return [{ path: `cat?arg=${cid}`, expect: { status: 200, text: 'x' } }]
    }
  },
  {
    name: 'shards 5,000 deep',
    async make(target) {
      const shard = (made: Made, entries: ReadonlyArray<readonly [string, CID, number]>) =>
        made.pb(unixfs({ type: 5, hash: 0x22, fanout: 8n, data: Uint8Array.of(1) }), entries)
      const first = async (made: Made) => shard(made, [['0a', await made.add(RAW, Buffer.from('x')), 1]])
      const cid = await chain(target, 5000, first, (made, below) => shard(made, [['0', below, 1]]))
      return [
        { path: `ls?arg=${cid}`, expect: { status: 500, text: DEEP } },
        { path: `get?arg=${cid}`, expect: { status: 200, bytes: 0, error: DEEP } },
        { path: `resolve?arg=/ipfs/${cid}/a`, expect: { status: 500, text: failed(`no link named "a" under ${cid}`) } }
      ]
    }
  }
]

const bombs: readonly Attack[] = [
  {
    name: 'a file of 24 GB in 16 KiB of blocks',
    async make(target) {
      const made = new Made()
      let cid = await made.add(RAW, new Uint8Array(1024).fill(120))
      let size = 1024n
      for (let level = 0; level < 4; level++) {
        const one = size
        size *= 70n
        cid = await made.pb(
          unixfs({ type: 2, size, sizes: Array.from({ length: 70 }, () => one) }),
          Array.from({ length: 70 }, () => ['', cid, Number(one)] as const)
        )
      }
      await made.into(target)
      return [
        { path: `cat?arg=${cid}`, leave: 32 * MIB, expect: { status: 200 } },
        { path: `cat?offset=20000000000&length=5&arg=${cid}`, expect: { status: 200, text: 'xxxxx' } },
        { path: `get?arg=${cid}`, leave: 32 * MIB, expect: { status: 200 } },
        { path: `get?compress=true&arg=${cid}`, leave: 64 << 10, expect: { status: 200 } },
        { path: `ls?arg=${cid}`, expect: { status: 200, lines: 1 } },
        { path: `refs?recursive=true&arg=${cid}`, leave: 4 * MIB, expect: { status: 200 } },
        { path: `refs?recursive=true&unique=true&arg=${cid}`, expect: { status: 200, lines: 4 } },
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 200, text: /"UniqueBlocks":5,"TotalSize":15345,/ } },
        { path: `dag/export?arg=${cid}`, expect: { status: 200, bytes: 15_594 } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } }
      ]
    }
  },
  {
    name: 'folders that hold 40^8 files in 16 KiB of blocks',
    async make(target) {
      const made = new Made()
      let cid = await made.pb(unixfs({ type: 2, data: Buffer.from('hi'), size: 2n }))
      for (let level = 0; level < 8; level++) {
        cid = await made.pb(
          unixfs({ type: 1 }),
          Array.from({ length: 40 }, (_, i) => [`f${String(i).padStart(3, '0')}`, cid, 10] as const)
        )
      }
      await made.into(target)
      return [
        { path: `get?arg=${cid}`, leave: 8 * MIB, expect: { status: 200 } },
        { path: `ls?arg=${cid}`, expect: { status: 200, lines: 1 } },
        { path: `refs?recursive=true&arg=${cid}`, leave: 4 * MIB, expect: { status: 200 } },
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 200, text: /"UniqueBlocks":9,/ } },
        { path: `dag/export?arg=${cid}`, expect: { status: 200 } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } }
      ]
    }
  },
  {
    name: 'blocks that lie in their CIDs, of 129 bytes and of 100 KiB',
    make: () =>
      [129, 100 << 10].flatMap(size => {
        const cid = inlined(RAW, new Uint8Array(size)).toString()
        return [
          { path: `block/get?arg=${cid}`, expect: { status: 200, bytes: size } },
          { path: `cat?arg=${cid}`, expect: { status: 200, bytes: size } },
          { path: `block/stat?arg=${cid}`, expect: { status: 200, text: `{"Key":"${cid}","Size":${size}}\n` } },
          { path: `refs?recursive=true&arg=${cid}`, expect: { status: 200, text: '' } },
          { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
          { path: `pin/rm?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
          { path: `dag/export?arg=${cid}`, expect: { status: 200 } }
        ]
      })
  }
]

attacks(test, [...chains, ...bombs])
