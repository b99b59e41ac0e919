/**
 * Adding over HTTP against what the node's store does by itself with as many bytes and blocks, turn by turn in one run. The client shares
 * the machine with the node, so on two cores the ratio cannot come near 1.
 */
import { chunksOf, oneFile, startNode } from '../support/node.ts'
import { nodeStore } from '../support/node-store.ts'
import { MiB, report, seconds } from '../support/report.ts'

const ROUNDS = 4
const SIZE = 256 * MiB
const FILES = 5000
const FILE_SIZE = 1024

const node = await startNode()
const store = await nodeStore()
const spent = { add: 0, raw: 0, again: 0, put: 0, putAgain: 0, files: 0, putSmall: 0 }
try {
  // First, as a pin makes all durable that was stored before it.
  for (let round = 1; round <= ROUNDS; round++) {
    spent.putSmall += await seconds(async () => {
      await store.put(smallBlocks(round))
      await store.sync()
    })
    spent.files += await seconds(() => node.post('add?silent=true', manyFiles(round)))
  }
  for (let round = 1; round <= ROUNDS; round++) {
    spent.put += await seconds(() => store.put(chunksOf(SIZE, round)))
    spent.add += await seconds(() => node.post('add?pin=false', oneFile(SIZE, round)))
    spent.putAgain += await seconds(() => store.put(chunksOf(SIZE, round)))
    spent.again += await seconds(() => node.post('add?pin=false', oneFile(SIZE, round)))
    spent.raw += await seconds(() => node.post('add?pin=false&cid-version=1', oneFile(SIZE, ROUNDS + round)))
  }
} finally {
  await store.close()
  await node.stop()
}

const volume = (ROUNDS * SIZE) / MiB
const count = ROUNDS * FILES
report({ name: 'add of one file', measured: volume / spent.add, against: volume / spent.put, unit: 'MiB/s', atLeast: 0.3 })
report({ name: 'add, raw leaves', measured: volume / spent.raw, against: volume / spent.put, unit: 'MiB/s', atLeast: 0.3 })
report({ name: 'add of what is there', measured: volume / spent.again, against: volume / spent.putAgain, unit: 'MiB/s', atLeast: 0.15 })
report({
  name: 'add of files of 1 KiB in a folder, pinned',
  measured: count / spent.files,
  against: count / spent.putSmall,
  unit: 'files/s',
  atLeast: 0.1
})

function* smallBlocks(seed: number): Iterable<Uint8Array> {
  for (let i = 0; i < FILES; i++) yield fileOf(seed, i)
}

function fileOf(seed: number, i: number): Buffer {
  const bytes = Buffer.alloc(FILE_SIZE, i)
  bytes.writeUInt32LE(i, 0)
  bytes.writeUInt32LE(seed, 4)
  return bytes
}

/** A multipart body of files in one folder. */
function manyFiles(seed: number): ReturnType<typeof oneFile> {
  const boundary = 'bench-boundary'
  const chunks = async function* () {
    const head = (i: number) => `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="many%2F${i}"\r\n\r\n`
    const batch = 64
    for (let from = 0; from < FILES; from += batch) {
      const numbers = Array.from({ length: Math.min(batch, FILES - from) }, (_, n) => from + n)
      yield Buffer.concat(numbers.flatMap(i => [Buffer.from(head(i)), fileOf(seed, i), Buffer.from('\r\n')]))
    }
    yield Buffer.from(`--${boundary}--\r\n`)
  }
  return { boundary, chunks: chunks() }
}
