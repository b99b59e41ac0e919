/** `repo/gc` of a million blocks over the RPC while others read: what it removes a second, what the reads feel of it, the memory it takes. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PinRecord } from '../../plugins/pins/store/record.ts'
import { PinTable } from '../../plugins/pins/store/table.ts'
import { RocksDatastore } from '../../plugins/storage-rocksdb/database/datastore.ts'
import { type GraphBlock, graphOf, leafOf, repoWith } from '../support/graph.ts'
import { type BenchNode, startNode } from '../support/node.ts'
import { report, seconds } from '../support/report.ts'

const BLOCKS = Number(process.argv[2] ?? 1_000_000)
const GARBAGE = BLOCKS / 10
const READERS = 4
/** What the reference removes a second, of some 12,000. */
const REFERENCE = 6960

/** Leaves that nothing links to, and then a graph, whose root comes last. */
function* blocks(): Generator<GraphBlock> {
  for (let i = 0; i < GARBAGE; i++) yield leafOf(`garbage ${i}`)
  yield* graphOf(BLOCKS - GARBAGE)
}

/** Milliseconds that reads of single blocks take until `until` resolves, in order. */
async function reading(node: BenchNode, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  let next = 0
  const reader = async () => {
    while (!isOver) {
      const { cid } = leafOf(`kept ${(next++ * 7919) % (BLOCKS - GARBAGE)}`)
      const began = performance.now()
      await node.post(`block/get?arg=${cid}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all([over, ...Array.from({ length: READERS }, reader)])
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor(sorted.length * part)] ?? 0

async function collect(node: BenchNode): Promise<number> {
  let lines = 0
  await node.post('repo/gc', undefined, chunk => {
    for (const byte of chunk) if (byte === 10) lines++
  })
  return lines
}

const { repo } = await repoWith(blocks(), (root, storage) =>
  new PinTable(new RocksDatastore(storage)).change({ put: [new PinRecord('recursive', root, '')] })
)
const node = await startNode(repo)
try {
  const alone = await reading(node, new Promise(resolve => setTimeout(resolve, 10_000)))
  const idle = await node.memory()
  let most = idle
  const watch = setInterval(async () => {
    most = Math.max(most, await node.memory())
  }, 50)
  let removed = 0
  let took = 0
  const collecting = seconds(async () => {
    removed = await collect(node)
  }).then(time => {
    took = time
  })
  const beside = await reading(node, collecting)
  clearInterval(watch)
  if (removed !== GARBAGE) throw new Error(`${removed} blocks were removed, not ${GARBAGE}`)
  console.log(
    `gc of ${BLOCKS} blocks, ${GARBAGE} of them garbage, beside reads: ${took.toFixed(1)} s, ${Math.round(removed / took)} removed/s`
  )
  const reads = (times: readonly number[]) => `median ${at(times, 0.5).toFixed(2)} ms, 99th ${at(times, 0.99).toFixed(2)} ms`
  console.log(`reads: ${reads(alone)}; beside gc: ${reads(beside)}, the longest ${beside.at(-1)!.toFixed(1)} ms`)
  report({ name: '99th of reads beside gc', measured: at(beside, 0.99), against: at(alone, 0.99), unit: 'ms', atMost: 6 })
  report({ name: 'growth meanwhile against the aim', measured: most - idle, against: 128, unit: 'MiB', atMost: 1 })
  const again = await seconds(() => collect(node))
  console.log(
    `gc of ${BLOCKS - GARBAGE} blocks without garbage: ${again.toFixed(1)} s, ${Math.round((BLOCKS - GARBAGE) / again)} looked at/s`
  )
} finally {
  await node.stop()
}

/** As the reference was measured: everything is garbage but for a little. */
const small = await startNode()
try {
  const boundary = 'b'
  const parts = Array.from(
    { length: 12_000 },
    (_, i) => `--b\r\nContent-Disposition: form-data; name="data"; filename="b"\r\n\r\n${`garbage ${i}`.padEnd(1024)}\r\n`
  )
  await small.post('block/put', {
    boundary,
    chunks: (async function* () {
      for (const part of parts) yield Buffer.from(part)
      yield Buffer.from('--b--\r\n')
    })()
  })
  const took = await seconds(() => collect(small))
  report({ name: 'gc of 12,000 garbage blocks', measured: 12_000 / took, against: REFERENCE, unit: 'blocks/s', atLeast: 1 })
} finally {
  await small.stop()
  await rm(dirname(repo), { recursive: true })
}
process.exit()
