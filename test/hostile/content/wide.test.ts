import test from 'ava'
import { type Attack, attacks } from '../support/attack.ts'
import { DAG_CBOR, DAG_PB, Made, unixfs } from '../support/blocks.ts'

/** Links of a block: to the one before, and then this many to a block that lies in its CID. */
const WIDE = 120_000
const DEEP = 7

const list: readonly Attack[] = [
  {
    name: 'folders of 120,000 entries in one another, 7 deep',
    memory: 200,
    patience: 300,
    async make(target) {
      const made = new Made()
      const others = `${'\x12\x06\x0a\x04\x01\x55\x00\x00'.repeat(WIDE)}\x0a\x02\x08\x01`
      let cid = await made.pb(unixfs({ type: 1 }))
      for (let level = 0; level < DEEP; level++) {
        const { bytes } = cid
        const first = Uint8Array.of(0x12, bytes.length + 2, 0x0a, bytes.length, ...bytes)
        cid = await made.add(DAG_PB, Buffer.concat([first, Buffer.from(others, 'latin1')]))
      }
      await made.into(target)
      const stat = new RegExp(`"UniqueBlocks":${DEEP + 2},`)
      return [
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 200, text: stat } },
        { path: `dag/export?arg=${cid}`, expect: { status: 200 } },
        { path: `refs?recursive=true&unique=true&arg=${cid}`, expect: { status: 200, lines: DEEP + 1 } },
        { path: `pin/add?arg=${cid}`, expect: { status: 200, text: `{"Pins":["${cid}"]}\n` } },
        { path: 'pin/ls?type=indirect', expect: { status: 200 } },
        { path: 'pin/verify', expect: { status: 200, text: '' } },
        { path: 'repo/gc?silent=true', expect: { status: 200, text: '' } }
      ]
    }
  },
  {
    name: 'dag-cbor lists of 120,000 links in one another, 7 deep',
    memory: 400,
    patience: 300,
    async make(target) {
      const made = new Made()
      const others = Buffer.from('\xd8\x2a\x45\x00\x01\x55\x00\x00'.repeat(WIDE), 'latin1')
      let cid = await made.add(DAG_CBOR, Uint8Array.of(0x80))
      for (let level = 0; level < DEEP; level++) {
        const head = Buffer.from([0x9a, 0, 0, 0, 0, 0xd8, 0x2a, 0x58, cid.bytes.length + 1, 0, ...cid.bytes])
        head.writeUInt32BE(WIDE + 1, 1)
        cid = await made.add(DAG_CBOR, Buffer.concat([head, others]))
      }
      await made.into(target)
      return [
        { path: `dag/stat?progress=false&arg=${cid}`, expect: { status: 500 } },
        { path: `refs?recursive=true&unique=true&arg=${cid}`, expect: { status: 200 } }
      ]
    }
  }
]

attacks(test, list)
