/** Clients that stop reading at the bottom of a deep graph of large nodes: what they hold together is bounded. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encode, prepare } from '@ipld/dag-pb'
import test from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { hashOfName } from '../../../core/unixfs/hash-of-name.ts'
import { startTarget, type Target } from '../support/node.ts'

const MIB = 1 << 20
const CLIENTS = 20
/** Nodes that lie above one another, of some 1.9 MB each: 38 MB for a client, 760 MB for all of them. */
const DEEP = 20
/** Nodes that are open, what was read ahead, and for each client a piece or two on their way. */
const MOST = 160 * MIB

let target: Target
let gateway: number
test.before(async () => {
  // the ring of small values is 32 MiB that a node at rest gives back, at any moment of these tests: it has a bound of its own
  target = await startTarget({ plugins: { 'storage-rocksdb': { cache: 0 } } })
  gateway = await target.gatewayPort()
})
test.after.always(() => target?.stop())

async function put(bytes: Uint8Array, codec: string): Promise<CID> {
  const { text } = await target.ask({ path: `block/put?cid-codec=${codec}&allow-big-block=true`, parts: [Buffer.from(bytes)] })
  return CID.parse((JSON.parse(text) as { Key: string }).Key)
}

type Links = ReadonlyArray<readonly [name: string, cid: CID]>
const node = (unixfs: UnixFS, links: Links) =>
  put(encode(prepare({ Data: unixfs.marshal(), Links: links.map(([Name, Hash]) => ({ Name, Hash, Tsize: 1 })) })), 'dag-pb')

/** A link whose name alone is as long as a block may be, to something small. */
const BROAD: Links[number] = ['~'.repeat(1_900_000), CID.parse('bafkqaaa')]

async function leaf(): Promise<CID> {
  const pieces: Array<readonly [string, CID]> = []
  for (let i = 0; i < 32; i++) pieces.push(['', await put(Buffer.alloc(MIB, i), 'raw')])
  return node(new UnixFS({ type: 'file', blockSizes: pieces.map(() => BigInt(MIB)) }), pieces)
}

async function nested(bottom: CID, make: (below: CID, level: number) => Promise<CID>): Promise<CID> {
  let at = bottom
  for (let level = 0; level < DEEP; level++) at = await make(at, level)
  return at
}

const file = async () =>
  nested(await leaf(), below => node(new UnixFS({ type: 'file', blockSizes: [32n * BigInt(MIB), 0n] }), [['', below], BROAD]))
const folder = async () => nested(await leaf(), (below, level) => node(new UnixFS({ type: 'directory' }), [[`a${level}`, below], BROAD]))

/** A shard of 1,024 entries with long names, each where its hash leads: below it there are no more, as a hash cannot be had at will. */
async function sharded(): Promise<CID> {
  const names = new Map<number, string>()
  for (let i = 0; names.size < 1024; i++) {
    const name = `${i}${'-'.repeat(1900)}`
    const [first, second] = hashOfName(name)
    names.set((first! << 2) | (second! >> 6), name)
  }
  const links = Array.from(names, ([slot, name]) => [slot.toString(16).toUpperCase().padStart(3, '0') + name, BROAD[1]] as const)
  return node(new UnixFS({ type: 'hamt-sharded-directory', data: Buffer.alloc(128, 0xff), hashType: 0x22n, fanout: 1024n }), links.sort())
}

/** A client that reads some megabytes of the answer, and then nothing more. */
function stalled(port: number, line: string, reads = 0): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  let left = reads * MIB
  if (left > 0) {
    socket.on('data', (piece: Buffer) => {
      left -= piece.length
      if (left <= 0) socket.pause()
    })
  }
  socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`)
  return socket
}

interface Form {
  readonly make: () => Promise<CID>
  readonly line: (cid: CID) => string
  readonly isRpc?: boolean
  /** MiB that come before what lies at the bottom. */
  readonly reads?: number
}

const FORMS: Record<string, Form> = {
  cat: { make: file, line: cid => `POST /api/v0/cat?arg=${cid}`, isRpc: true },
  get: { make: folder, line: cid => `POST /api/v0/get?arg=${cid}`, isRpc: true },
  'dag/export': { make: folder, line: cid => `POST /api/v0/dag/export?arg=${cid}`, isRpc: true, reads: 40 },
  'a file of the gateway': { make: file, line: cid => `GET /ipfs/${cid}` },
  'a tar archive': { make: folder, line: cid => `GET /ipfs/${cid}?format=tar` },
  'a CAR': { make: folder, line: cid => `GET /ipfs/${cid}?format=car`, reads: 40 },
  'a CAR of some bytes': { make: file, line: cid => `GET /ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=0:30000000`, reads: 40 },
  'a listing': { make: sharded, line: cid => `GET /ipfs/${cid}/` }
}

for (const [what, { make, line, isRpc = false, reads }] of Object.entries(FORMS)) {
  test.serial(`${CLIENTS} clients that stop at the bottom of ${what} hold a bounded part of it`, async t => {
    const cid = await make()
    const before = await target.held()
    const clients: Socket[] = []
    for (let i = 0; i < CLIENTS; i++) {
      clients.push(stalled(isRpc ? target.port : gateway, line(cid), reads))
      // who asks for the same block at the same time shares it
      await sleep(200)
    }
    await sleep(3000)
    const { buffers } = await target.held()
    for (const client of clients) client.destroy()
    t.log(`${Math.round((buffers - before.buffers) / MIB)} MiB`)
    t.true(buffers - before.buffers < MOST, `buffers grew by ${(buffers - before.buffers) / MIB} MiB`)
    let left = Number.POSITIVE_INFINITY
    for (let look = 0; look < 40 && left > 16 * MIB; look++) {
      await sleep(250)
      left = (await target.held()).buffers - before.buffers
    }
    t.true(left <= 16 * MIB, `${left / MIB} MiB are left after them`)
  })
}
