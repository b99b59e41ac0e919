import { maskedSum } from './crc32c.ts'
import { Cursor } from './cursor.ts'
import { decompress } from './snappy.ts'

/** Two places, padded, and a number by which tables are known (LevelDB, doc/table_format.md). */
const FOOT = 48
const MAGIC = 0xdb4775248b80fb57n
/** Kind of compression and sum, behind every block. */
const TRAIL = 5
const PLAIN = 0
const SNAPPY = 1

/** Called with each entry, and the number of the write that it comes from. `value` undefined: the key was removed. Views of a file's bytes. */
type Entries = (key: Uint8Array, value: Uint8Array | undefined, sequence: bigint) => void

/** Goes through all entries of a table. @throws E_LEVELDB_FILE */
export function readTable(bytes: Uint8Array, file: string, entries: Entries): void {
  const foot = new Cursor(bytes.subarray(Math.max(0, bytes.length - FOOT)), file)
  if (bytes.length < FOOT || view(bytes).getBigUint64(bytes.length - 8, true) !== MAGIC) throw foot.fault('it is no table')
  // of what filters are there, which only tell what need not be looked for
  placeOf(foot)
  const index = blockAt(bytes, placeOf(foot), file)
  eachEntry(index, file, (_, value) => {
    eachEntry(blockAt(bytes, placeOf(new Cursor(value, file)), file), file, (key, found) => {
      readInternalKey(key, found, file, entries)
    })
  })
}

interface Place {
  readonly offset: number
  readonly size: number
}

function placeOf(cursor: Cursor): Place {
  return { offset: cursor.varint(), size: cursor.varint() }
}

function blockAt(bytes: Uint8Array, { offset, size }: Place, file: string): Uint8Array {
  const cursor = new Cursor(bytes, file)
  cursor.take(offset)
  const block = cursor.take(size)
  const kind = cursor.take(1)
  const sum = cursor.take(TRAIL - 1)
  if (maskedSum(block, kind) !== view(sum).getUint32(0, true)) throw cursor.fault(`the sum of a block is wrong (byte ${offset})`)
  if (kind[0] === PLAIN) return block
  if (kind[0] === SNAPPY) return decompress(block, file)
  throw cursor.fault(`a block is compressed in a way that is not known here (${kind[0]})`)
}

/** A block's entries, whose keys leave out what they share with the one before; behind them stands where keys are whole again. */
function eachEntry(block: Uint8Array, file: string, entry: (key: Uint8Array, value: Uint8Array) => void): void {
  const cursor = new Cursor(block, file)
  const wholeKeys = block.length < 4 ? Number.POSITIVE_INFINITY : view(block).getUint32(block.length - 4, true)
  const end = block.length - 4 - 4 * wholeKeys
  if (end < 0) throw cursor.fault('a block ends too early')
  let key: Uint8Array = new Uint8Array(0)
  while (cursor.at < end) {
    const [shared, unshared, size] = [cursor.varint(), cursor.varint(), cursor.varint()]
    if (shared > key.length) throw cursor.fault('a key shares more than there is')
    key = Buffer.concat([key.subarray(0, shared), cursor.take(unshared)])
    entry(key, cursor.take(size))
  }
}

/** Behind a key of a table stand its write's number and kind, in 64 bits. */
function readInternalKey(key: Uint8Array, value: Uint8Array, file: string, entries: Entries): void {
  const fault = new Cursor(key, file)
  if (key.length < 8) throw fault.fault('a key is too short')
  const mark = view(key).getBigUint64(key.length - 8, true)
  const kind = mark & 0xffn
  if (kind > 1n) throw fault.fault(`there is no write of the kind ${kind}`)
  entries(key.subarray(0, -8), kind === 1n ? value : undefined, mark >> 8n)
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The writes of one record of a log: a number for the first, how many, then each (LevelDB, db/write_batch.cc). @throws E_LEVELDB_FILE */
export function readBatch(record: Uint8Array, file: string, entries: Entries): void {
  const cursor = new Cursor(record, file)
  const head = view(cursor.take(12))
  const first = head.getBigUint64(0, true)
  const count = head.getUint32(8, true)
  let read = 0
  for (; !cursor.isAtEnd; read++) {
    const kind = cursor.byte()
    if (kind > 1) throw cursor.fault(`there is no write of the kind ${kind}`)
    const key = cursor.prefixed()
    entries(key, kind === 1 ? cursor.prefixed() : undefined, first + BigInt(read))
  }
  if (read !== count) throw cursor.fault(`a record has ${read} writes in place of ${count}`)
}
