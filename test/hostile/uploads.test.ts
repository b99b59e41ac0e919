import test from 'ava'
import type { CID } from 'multiformats/cid'
import { varint } from '../core/cid/encoded-varint.ts'
import { type Attack, attacks, failed } from './support/attack.ts'
import { Made, RAW, unixfs } from './support/blocks.ts'
import type { Part } from './support/http.ts'

const MIB = 1 << 20

/** A file under this path in an upload. */
function file(path: string): Part {
  return {
    head: [
      `Content-Disposition: form-data; name="file"; filename="${encodeURIComponent(path)}"`.replaceAll('%2F', '/'),
      'Content-Type: application/octet-stream'
    ],
    data: 'x'
  }
}

/** Bytes that repeat only after 64 KiB. */
function noise(size: number): Buffer {
  const block = Buffer.allocUnsafe(size)
  for (let i = 0, x = 1; i < size; i++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0
    block[i] = x >>> 16
  }
  return block
}

/** A CAR without blocks whose only root is a CID that holds so many bytes. */
function carOfRoot(size: number, fill: number): Buffer {
  const cid = Buffer.concat([Buffer.from([0, 1, RAW, 0]), varint(size), Buffer.alloc(size, fill)])
  const link = Buffer.from([0xd8, 0x2a, 0x5a, 0, 0, 0, 0])
  link.writeUInt32BE(cid.length, 3)
  const header = Buffer.concat([Buffer.from('\xa2\x65roots\x81', 'latin1'), link, cid, Buffer.from('\x67version\x01', 'latin1')])
  return Buffer.concat([varint(header.length), header])
}

const FOLDERS = 'the upload has more than 50000 folders in one, the most that this node keeps in mind (plugins.content.maxFolders)'

const list: readonly Attack[] = [
  {
    name: 'an upload of 100,000 folders in 200 KiB',
    memory: 50,
    make: () => [
      {
        path: 'add?only-hash=true&silent=true',
        parts: Array.from({ length: 13 }, (_, i) => file(`r/${i}${'/a'.repeat(7800)}`)),
        expect: { status: 500, text: failed(FOLDERS) }
      }
    ]
  },
  ...['size-1', 'rabin-16-17-1048576', 'rabin-16-17-18', 'rabin-16-1048575-1048576', 'buzhash'].map(chunker => ({
    name: `a file of 64 KiB cut by ${chunker}`,
    memory: 160,
    make: () => [{ path: `add?only-hash=true&chunker=${chunker}`, parts: [noise(64 << 10)], expect: { status: 200, lines: 1 } }]
  })),
  {
    name: 'CARs whose roots are CIDs of 9 megabytes',
    memory: 130,
    make: () => [
      {
        path: 'dag/import?pin-roots=false',
        parts: Array.from({ length: 6 }, (_, i) => carOfRoot(9 * MIB, i)),
        expect: { status: 500, text: failed('invalid header data, length of read beyond allowable maximum') }
      }
    ]
  },
  {
    name: 'CARs of a million sections of length 0, before and behind a block',
    make: () => {
      const header = Buffer.from('\x11\xa2\x65roots\x80\x67version\x01', 'latin1')
      const block = Buffer.from([6, 1, RAW, 0, 1, 0x78, 0x78])
      const none = Buffer.alloc(1_000_000)
      const failure = (after: string) => failed(`import failed${after}: invalid cid: varints malformed, could not reach the end`)
      return [
        { path: 'dag/import', parts: [Buffer.concat([header, none])], expect: { status: 500, text: failure('') } },
        {
          path: 'dag/import',
          parts: [Buffer.concat([header, block, none])],
          expect: { status: 500, text: failure(' after block "bafkqaaly"') }
        }
      ]
    }
  },
  {
    name: 'a hundred different megabytes, shown one after the other',
    async make(target) {
      const made = new Made()
      const cids: CID[] = []
      for (let i = 0; i < 100; i++) cids.push(await made.add(RAW, Buffer.alloc(MIB, i)))
      await made.into(target)
      return [{ path: `cat?${cids.map(cid => `arg=${cid}`).join('&')}`, expect: { status: 200, bytes: 100 * MIB } }]
    }
  },
  {
    name: 'folders in one another whose names make a path of five megabytes',
    memory: 100,
    async make(target) {
      const made = new Made()
      const leaf = await made.add(RAW, Buffer.from('x'))
      let cid = await made.pb(unixfs({ type: 1 }))
      for (let level = 0; level < 20; level++) {
        cid = await made.pb(unixfs({ type: 1 }), [
          ['n'.repeat(MIB / 4), cid, 1],
          ['z', leaf, 1]
        ])
      }
      await made.into(target)
      const error = 'an entry of the archive has a path of more than 1048576 characters'
      return [{ path: `get?arg=${cid}`, expect: { status: 200, error } }]
    }
  }
]

attacks(test, list, { plugins: { content: { maxFolders: 50_000 } } })
