/**
 * Small writes over the RPC against reads of the same, one at a time and many: `block/put` against `block/get`, `files/write`; and how long
 * the event loop is held up while 64 callers write to the store. What a bare Node.js server reaches of the same ratios, asked by the same
 * client in turns with the node, is printed beside them, and the processor time of both, which says more on a busy machine. All are asked once
 * before that is measured: a put runs through twice the code of a get, and takes some 10,000 requests until all of it is compiled.
 * `node dist/bench/storage/writes.js [folder of another checkout that is built]`
 */
import { createHash, randomFillSync } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { rm, truncate, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { BlockClient } from '../support/block-client.ts'
import { type BareServer, type BenchNode, benchFolder, startBare, startNode } from '../support/node.ts'
import { median, report, seconds } from '../support/report.ts'

const KIB = 1024
/** Of the small rows, each of which takes a tenth of a second, and of the large ones. */
const SMALL_ROUNDS = 12
const LARGE_ROUNDS = 6
/** Rounds that are not measured. */
const WARM_UP = 2
const WRITERS = 64
const WRITES = 100_000

const noise = randomFillSync(Buffer.alloc(4 * KIB * KIB))
let serial = 0

/** Different from all before. */
function block(size: number): Buffer {
  const at = (serial * 4099) % (noise.length - size)
  const bytes = Buffer.from(noise.subarray(at, at + size))
  bytes.writeUInt32LE(serial++, 0)
  return bytes
}

function body(bytes: Uint8Array) {
  const head = Buffer.from('--b\r\nContent-Disposition: form-data; name="data"; filename="f"\r\n\r\n')
  return {
    boundary: 'b',
    chunks: (async function* () {
      yield Buffer.concat([head, bytes, Buffer.from('\r\n--b--\r\n')])
    })()
  }
}

async function rate(count: number, atATime: number, work: () => Promise<unknown>): Promise<number> {
  let left = count
  const worker = async () => {
    while (left-- > 0) await work()
  }
  return count / (await seconds(() => Promise.all(Array.from({ length: atATime }, worker))))
}

/**
 * By turns, as a machine's speed drifts. Each round another server is the first, since what one has written the disk still takes while the
 * next one is asked.
 *
 * @param servers - the rows of each
 * @returns the median of each
 */
async function inTurns<K extends string>(
  rounds: number,
  ...servers: Readonly<Record<K, () => Promise<number>>>[]
): Promise<Record<K, number>> {
  const rates = Object.fromEntries(servers.flatMap(Object.keys).map(name => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < servers.length; turn++) {
      const rows = servers[(round + turn) % servers.length]!
      for (const name in rows) rates[name].push(await rows[name]())
    }
  return Object.fromEntries(Object.entries<number[]>(rates).map(([name, all]) => [name, median(all)])) as Record<K, number>
}

type Row = readonly [name: string, measured: number, against: number, limit: number]

/** The rows of blocks, of all servers by turns. Those of the first, the node, have limits. */
async function blocks(servers: Readonly<Record<string, BareServer>>): Promise<void> {
  const cpuTimes: Record<string, CpuTimes> = {}
  const smallRows: Rows[] = []
  const largeRows: Rows[] = []
  for (const [who, server] of Object.entries(servers)) {
    cpuTimes[who] = {}
    const { small, large } = questions(server, cpuTimes[who])
    smallRows.push(named(who, small))
    largeRows.push(named(who, large))
  }
  for (const row of [...smallRows, ...largeRows].flatMap(rows => Object.values(rows))) for (let i = 0; i < WARM_UP; i++) await row()
  for (const times of Object.values(cpuTimes)) for (const all of Object.values(times)) all.length = 0
  const small = await inTurns(SMALL_ROUNDS, ...smallRows)
  const large = await inTurns(LARGE_ROUNDS, ...largeRows)
  for (const [i, who] of Object.keys(servers).entries()) {
    for (const [name, measured, against, limit] of rows(small, large, who)) {
      if (i === 0) report({ name, measured, against, unit: '/s', atLeast: limit })
      else
        console.log(`${who}: ${name}: ${measured.toFixed(0)} /s against ${against.toFixed(0)} /s: ratio ${(measured / against).toFixed(2)}`)
    }
  }
  for (const [who, times] of Object.entries(cpuTimes)) {
    const each = Object.entries(times).map(([name, all]) => `${name} ${(median(all) * 1e6).toFixed(0)}`)
    console.log(`processor time of ${who} a request, in µs: ${each.join(', ')}`)
  }
}

type Rows = Record<string, () => Promise<number>>

/** Seconds a request of each row, round by round. */
type CpuTimes = Record<string, number[]>

function questions(server: BareServer, cpuTimes: CpuTimes) {
  const client = new BlockClient(server.port)
  const keys: { small: string[]; large: string[] } = { small: [], large: [] }
  let next = 0
  const put = (size: number, into: string[]) => async () => {
    into.push(await client.put(noise.subarray(0, size), serial++))
  }
  const get = (size: number, from: readonly string[]) => () => client.get(from[next++ % from.length]!, size)
  const asked = (name: string, count: number, atATime: number, work: () => Promise<unknown>) => async () => {
    const before = await server.cpu()
    const reached = await rate(count, atATime, work)
    cpuTimes[name] ??= []
    cpuTimes[name].push(((await server.cpu()) - before) / count)
    return reached
  }
  // Those of one round are read, so that there are as many in each.
  const anew = (all: string[], row: () => Promise<number>) => () => {
    all.length = 0
    return row()
  }
  return {
    small: {
      putAlone: anew(keys.small, asked('put of 1 KiB alone', 2000, 1, put(KIB, keys.small))),
      getAlone: asked('get alone', 2000, 1, get(KIB, keys.small)),
      put: asked('put', 8000, 16, put(KIB, keys.small)),
      get: asked('get', 8000, 16, get(KIB, keys.small))
    },
    large: {
      putAlone: anew(keys.large, asked('put of 256 KiB alone', 200, 1, put(256 * KIB, keys.large))),
      put: asked('put of 256 KiB', 400, 16, put(256 * KIB, keys.large)),
      get: asked('get of 256 KiB', 400, 16, get(256 * KIB, keys.large))
    }
  }
}

function named(who: string, work: Readonly<Rows>): Rows {
  return Object.fromEntries(Object.entries(work).map(([name, one]) => [`${who} ${name}`, one]))
}

function rows(small: Readonly<Record<string, number>>, large: Readonly<Record<string, number>>, who: string): readonly Row[] {
  const s = (name: string) => small[`${who} ${name}`]!
  const l = (name: string) => large[`${who} ${name}`]!
  return [
    ['block/put of 1 KiB, one at a time, against block/get', s('putAlone'), s('getAlone'), 0.75],
    ['the same, 16 at a time', s('put'), s('get'), 0.55],
    ['block/put of 256 KiB, 16 at a time, against block/get', l('put'), l('get'), 0.8],
    ['block/put of 256 KiB, one at a time, against 16 at a time', l('putAlone'), l('put'), 0.6]
  ]
}

async function files(node: BenchNode): Promise<void> {
  const write = () => node.post(`files/write?arg=/${serial}&create=true`, body(Buffer.from(`file ${serial++}`)))
  await rate(WARM_UP * 1000, 1, write)
  const rates = await inTurns(LARGE_ROUNDS, { write: () => rate(500, 1, write), version: () => rate(1000, 1, () => node.post('version')) })
  const against = { measured: rates.write, against: rates.version, unit: '/s', atLeast: 0.1 } as const
  report({ name: 'files/write of new small files, one at a time, against version', ...against })
}

/**
 * Fills the system's cache with a file of nothing, as it is on a machine that has been on for a while: what is written then takes the place
 * of what is there. Of a virtual machine with much that is free the host has taken it back, and makes it anew at each write, which takes longer
 * than the write itself. @returns what gives it back
 */
async function fillPageCache(): Promise<() => Promise<void>> {
  const folder = await benchFolder()
  const file = join(folder, 'filler')
  await writeFile(file, '')
  await truncate(file, totalmem())
  const fd = openSync(file, 'r')
  const piece = Buffer.alloc(KIB * KIB)
  while (readSync(fd, piece) > 0);
  closeSync(fd)
  return () => rm(folder, { recursive: true })
}

/** The store in this process, so that its event loop is the one that is looked at. */
async function loop(): Promise<void> {
  const folder = await benchFolder()
  const storage = new Storage(folder, storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  const multihash = () => Buffer.concat([Buffer.of(0x12, 32), createHash('sha256').update(`${serial}`).digest()])
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // One in sixteen asks for durability.
  await rate(WRITES, WRITERS, async () => {
    await store.putBytes(multihash(), block(KIB))
    await (serial % 16 === 0 ? store.sync() : new Promise(setImmediate))
  })
  delay.disable()
  await storage.close()
  await rm(folder, { recursive: true })
  const measured = delay.percentile(99) / 1e6
  report({ name: `99th percentile of the loop's delay under ${WRITERS} writers`, measured, against: 20, unit: 'ms', atMost: 1 })
}

const [folder] = process.argv.slice(2)
const emptyPageCache = await fillPageCache()
const node = await startNode()
const other = folder === undefined ? undefined : await startNode(undefined, undefined, resolve(folder, 'dist'))
const bare = await startBare()
try {
  await blocks({ 'the node': node, ...(other && { 'the other': other }), 'a bare server': bare })
  await files(node)
} finally {
  await node.stop()
  await other?.stop()
  await bare.stop()
  await emptyPageCache()
}
await loop()
