/**
 * `repo/stat` after a restart and `pin/verify` of very many small blocks, and the memory afterwards: this tree against Kubo 0.42 and, where its
 * folder is given, against another checkout that is built. `node dist/bench/storage/small-blocks.js [folder of the other] [blocks, 200000]`.
 * Of raw leaves Kubo reads none, where this node holds each against its hash; leaves of dag-pb both read.
 */
import { resolve } from 'node:path'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagPb from '@ipld/dag-pb'
import { varint } from 'multiformats'
import type { CID } from 'multiformats/cid'
import { provide } from '../../test/interop/nodes/kubo.ts'
import { Peer, type Program, type Setup } from '../../test/interop/nodes/peer.ts'
import { blockOf, type GraphBlock, graphOf, leafOf } from '../support/graph.ts'
import { report, seconds } from '../support/report.ts'

const [other = '', count = '200000'] = process.argv.slice(2)
const COUNT = Number(count)
/** Seconds after which a node has had time to give its memory back. */
const REST = 15
const BOUNDARY = 'bench-boundary'
/** Bytes that are sent at once, about. */
const PIECE = 1 << 20

const LEAVES: Readonly<Record<string, (name: string) => GraphBlock>> = {
  'raw leaves': leafOf,
  'leaves of dag-pb': name => blockOf(dagPb.code, dagPb.encode({ Data: Buffer.from(name.padEnd(100, '.')), Links: [] }))
}

/** A CAR of a graph as the body of an upload. */
function* car(leafOf: (name: string) => GraphBlock): Generator<Uint8Array> {
  let root: CID | undefined
  for (const { cid } of graphOf(COUNT, leafOf)) root = cid
  const head = dagCbor.encode({ version: 1, roots: [root] })
  yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`)
  let pieces: Uint8Array[] = [lengthOf(head.byteLength), head]
  let size = 0
  for (const { cid, bytes } of graphOf(COUNT, leafOf)) {
    const length = cid.bytes.byteLength + bytes.byteLength
    pieces.push(lengthOf(length), cid.bytes, bytes)
    size += length
    if (size < PIECE) continue
    yield Buffer.concat(pieces)
    pieces = []
    size = 0
  }
  yield Buffer.concat([...pieces, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

function lengthOf(length: number): Uint8Array {
  return varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
}

interface Figures {
  readonly stat: number
  readonly verify: number
  readonly growth: number
  readonly rest: number
}

async function measure(program: Program, setup: Setup, leafOf: (name: string) => GraphBlock): Promise<Figures> {
  const node = await Peer.start(program, { ...setup, flags: ['--offline'] })
  try {
    await node.ask('dag/import', { boundary: BOUNDARY, chunks: car(leafOf) })
    await node.kill('SIGTERM')
    await node.again()
    const stat = await seconds(() => node.ask('repo/stat'))
    const before = await node.memory()
    let most = before
    const watch = setInterval(async () => {
      most = Math.max(most, await node.memory())
    }, 50)
    let found = ''
    const verify = await seconds(async () => {
      found = await node.ask('pin/verify')
    })
    clearInterval(watch)
    if (found.trim() !== '') throw new Error(`pin/verify of ${program} found ${found.slice(0, 200)}`)
    await new Promise(done => setTimeout(done, 1000 * REST))
    return { stat, verify, growth: most - before, rest: await node.memory() }
  } finally {
    await node.close()
  }
}

await provide('0.42')
for (const [name, leafOf] of Object.entries(LEAVES)) {
  const mine = await measure('holdfast', {}, leafOf)
  const others: Record<string, Figures> = { 'Kubo 0.42': await measure('0.42', {}, leafOf) }
  if (other !== '') others['the other tree'] = await measure('holdfast', { dist: resolve(other, 'dist') }, leafOf)
  for (const [who, theirs] of Object.entries(others)) {
    const against = `${COUNT} ${name}, against ${who}`
    // Kubo looks at no raw leaf.
    const atMost = who === 'Kubo 0.42' && name === 'raw leaves' ? 25 : 1
    report({ name: `repo/stat after a restart, ${against}`, measured: mine.stat, against: theirs.stat, unit: 's', atMost: 1 })
    report({ name: `pin/verify, ${against}`, measured: mine.verify, against: theirs.verify, unit: 's', atMost })
    report({ name: `growth meanwhile, ${against}`, measured: mine.growth, against: theirs.growth, unit: 'MiB', atMost: 2 })
    report({ name: `memory ${REST} s later, ${against}`, measured: mine.rest, against: theirs.rest, unit: 'MiB', atMost: 1.5 })
  }
}
process.exit()
