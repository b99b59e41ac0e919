/**
 * CARs over HTTP: export of 1 GiB against reading its files, import of it, and of a folder of small files, against what the store does by
 * itself with as many bytes and blocks; and by how much the memory grows. `node car.js [GiB]`
 */
import { createReadStream } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchNode, benchFolder, chunksOf, lastHash, oneFile, startNode } from '../support/node.ts'
import { nodeStore } from '../support/node-store.ts'
import { MiB, report, seconds } from '../support/report.ts'

const SIZE = Number(process.argv[2] ?? 1) * 1024 * MiB
const ROUNDS = 4
const FILES = 10_000
const FILE_SIZE = 1024
const BOUNDARY = 'bench-boundary'

const folder = await benchFolder()
const car = join(folder, 'big.car')
const [from, to] = [await startNode(), await startNode()]
const store = await nodeStore()
try {
  const spent = { importSmall: 0, putSmall: 0 }
  for (let round = 0; round <= ROUNDS; round++) {
    const small = Buffer.concat(await exported(from, lastHash(await from.post('add?silent=true', manyFiles(round)))))
    const importing = await seconds(() => to.post('dag/import', upload([small])))
    const putting = await seconds(async () => {
      await store.put(smallFiles(round))
      await store.sync()
    })
    // The first is for the engine to get warm.
    if (round === 0) continue
    spent.importSmall += importing
    spent.putSmall += putting
  }
  report({
    name: `import of a folder of ${FILES} files, pinned`,
    measured: (ROUNDS * FILES) / spent.importSmall,
    against: (ROUNDS * FILES) / spent.putSmall,
    unit: 'blocks/s',
    atLeast: 0.2
  })

  const root = lastHash(await from.post('add?pin=false', oneFile(SIZE, 1)))
  let bytes = 0
  const exporting = await growth(from, () =>
    from.post(`dag/export?arg=${root}`, undefined, chunk => {
      bytes += chunk.length
    })
  )
  if (bytes < SIZE) throw new Error(`the export sent ${bytes} bytes`)
  const reading = await seconds(() => readFiles(from.repo))
  await writeFile(car, await exported(from, root))
  const importing = await growth(to, () => to.post('dag/import', upload(createReadStream(car, { highWaterMark: 262_144 }))))
  const putting = await seconds(() => store.put(chunksOf(SIZE, 1)))
  const speeds = { measured: SIZE / MiB / exporting.seconds, against: SIZE / MiB / reading, unit: 'MiB/s' }
  report({ ...speeds, name: `export of ${SIZE / MiB} MiB against reading its files`, atLeast: 0.25 })
  const puts = { measured: SIZE / MiB / importing.seconds, against: SIZE / MiB / putting, unit: 'MiB/s' }
  report({ ...puts, name: `import of ${SIZE / MiB} MiB, pinned`, atLeast: 0.3 })
  for (const [name, { grown }] of Object.entries({ export: exporting, import: importing }))
    report({ name: `growth at the peak of the ${name} against the aim`, measured: grown, against: 100, unit: 'MiB', atMost: 1 })
} finally {
  await store.close()
  await Promise.all([from.stop(), to.stop()])
  await rm(folder, { recursive: true })
}

async function exported(node: BenchNode, root: string): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  await node.post(`dag/export?arg=${root}`, undefined, chunk => chunks.push(chunk))
  return chunks
}

/** How long it takes, and by how many MiB the node's memory grows at most meanwhile. */
async function growth(node: BenchNode, work: () => Promise<unknown>): Promise<{ seconds: number; grown: number }> {
  const before = await node.memory()
  let peak = before
  const watch = setInterval(async () => {
    peak = Math.max(peak, await node.memory())
  }, 50)
  const spent = await seconds(work)
  clearInterval(watch)
  return { seconds: spent, grown: Math.max(1, peak - before) }
}

async function readFiles(path: string): Promise<void> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    for await (const _ of createReadStream(join(entry.parentPath, entry.name), { highWaterMark: MiB }));
  }
}

function upload(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): ReturnType<typeof oneFile> {
  const chunks = async function* () {
    yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x.car"\r\n`)
    yield Buffer.from('Content-Type: application/octet-stream\r\n\r\n')
    yield* source
    yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  }
  return { boundary: BOUNDARY, chunks: chunks() }
}

function* smallFiles(seed: number): Iterable<Buffer> {
  for (let i = 0; i < FILES; i++) {
    const bytes = Buffer.alloc(FILE_SIZE, i)
    bytes.writeUInt32LE(i, 0)
    bytes.writeUInt32LE(seed, 4)
    yield bytes
  }
}

/** A multipart body of small files in one folder. */
function manyFiles(seed: number): ReturnType<typeof oneFile> {
  const chunks = async function* () {
    let i = 0
    for (const file of smallFiles(seed)) {
      const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="many%2F${i++}"\r\n\r\n`
      yield Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n')])
    }
    yield Buffer.from(`--${BOUNDARY}--\r\n`)
  }
  return { boundary: BOUNDARY, chunks: chunks() }
}
