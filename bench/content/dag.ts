/** Codecs and walks, without a store: small nodes, a node with the links of a large file, and a tree of them. */
import type { CID } from 'multiformats/cid'
import { sumCid } from '../../core/cid/sum.ts'
import { dagCbor } from '../../core/dag/codecs/cbor/cbor.ts'
import { dagPb } from '../../core/dag/codecs/dag-pb.ts'
import { dagJsonCodec } from '../../core/dag/codecs/json/json.ts'
import type { Node } from '../../core/dag/model.ts'
import { pbLinks } from '../../core/dag/pb.ts'
import { walk } from '../../core/dag/walk/walk.ts'

const blocks = new Map<string, Uint8Array>()

function rate(name: string, unit: string, count: number, run: () => void): void {
  for (let i = 0; i < count / 5; i++) run()
  const began = performance.now()
  for (let i = 0; i < count; i++) run()
  console.log(`${name}: ${Math.round(count / ((performance.now() - began) / 1000))} ${unit}`)
}

function store(node: Node): CID {
  const bytes = dagPb.encode!(node)
  const cid = sumCid({ version: 0, codec: 0x70, hash: 0x12 }, bytes)
  blocks.set(String(cid), bytes)
  return cid
}

function parent(children: readonly CID[], data: string): CID {
  const links = children.map(
    cid =>
      new Map<string, Node>([
        ['Hash', cid],
        ['Name', ''],
        ['Tsize', 262158n]
      ])
  )
  return store(
    new Map<string, Node>([
      ['Links', links],
      ['Data', Buffer.from(data)]
    ])
  )
}

const dagJson = dagJsonCodec()
const small = Buffer.from('{"n":12345,"t":"some text"}')
rate('dag/put of a small node, without the store', '/s', 100_000, () => {
  sumCid({ version: 1, codec: 0x71, hash: 0x12 }, dagCbor.encode!(dagJson.decode(small)))
})

const leaves = Array.from({ length: 174 }, (_, i) => parent([], `leaf ${i}`))
const wide = blocks.get(String(parent(leaves, 'wide')))!
rate('links of a node with 174', 'nodes/s', 5_000, () => void pbLinks(wide))

const root = parent(
  Array.from({ length: 174 }, (_, i) =>
    parent(
      Array.from({ length: 174 }, (_, j) => parent([], `${i} ${j}`)),
      `${i}`
    )
  ),
  'root'
)
const source = { get: async (cid: CID) => blocks.get(String(cid))!, links: (_: CID, bytes: Uint8Array) => pbLinks(bytes) }
const began = performance.now()
let visits = 0
for await (const _ of walk(root, source)) visits++
console.log(`walk: ${Math.round(visits / ((performance.now() - began) / 1000))} blocks/s`)
