/**
 * `files/*` over the RPC: small files one at a time and 16 at a time against a command that does nothing, the rate while a directory grows,
 * a listing, and writes into the middle of a large file. `node dist/bench/mfs.js [FILES]`
 */
import { type BenchNode, startNode } from './support/node.ts'
import { MiB, report, seconds } from './support/report.ts'

const FILES = Number(process.argv[2] ?? 100_000)
const ALONE = 2000
const TOGETHER = 16
const WRITES = 500
const LARGE = 256 * MiB

function body(bytes: Uint8Array) {
  return {
    boundary: 'b',
    chunks: (async function* () {
      yield Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="data"; filename="f"\r\n\r\n'),
        bytes,
        Buffer.from('\r\n--b--\r\n')
      ])
    })()
  }
}

async function pool(count: number, atATime: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atATime }, worker))
}

const write = (node: BenchNode, path: string, text: string, more = '') =>
  node.post(`files/write?arg=${path}&create=true${more}`, body(Buffer.from(text)))

async function small(node: BenchNode): Promise<void> {
  for (const atATime of [1, TOGETHER]) {
    const nothing = ALONE / (await seconds(() => pool(ALONE, atATime, () => node.post('version'))))
    await node.post(`files/mkdir?arg=/small${atATime}`)
    const rate = ALONE / (await seconds(() => pool(ALONE, atATime, i => write(node, `/small${atATime}/${i}`, `number ${i}\n`))))
    report({
      name: `files/write of small files, ${atATime} at a time`,
      measured: rate,
      against: nothing,
      unit: '/s',
      limit: 0.02,
      better: 'more'
    })
  }
}

async function growing(node: BenchNode): Promise<void> {
  await node.post('files/mkdir?arg=/many')
  const steps = 10
  const rates: number[] = []
  const memory: number[] = []
  for (let step = 0; step < steps; step++) {
    const each = FILES / steps
    const took = await seconds(() => pool(each, TOGETHER, i => write(node, `/many/file-${step * each + i}`, `number ${step * each + i}\n`)))
    rates.push(each / took)
    memory.push(await node.memory())
    console.log(`  ${(step + 1) * each} files: ${(each / took).toFixed(0)}/s, ${memory.at(-1)!.toFixed(0)} MiB`)
  }
  report({
    name: `the last tenth of ${FILES} files in a directory`,
    measured: rates.at(-1)!,
    against: rates[0]!,
    unit: '/s',
    limit: 0.6,
    better: 'more'
  })
  report({ name: 'memory at its end', measured: memory.at(-1)!, against: memory[1]!, unit: 'MiB', limit: 1.5, better: 'less' })
  const flat = await seconds(() => node.post('files/ls?arg=/many', undefined, () => {}))
  const pathless = await seconds(() => node.post('files/stat?arg=/many'))
  console.log(`  files/ls of ${FILES}: ${(flat * 1000).toFixed(0)} ms; files/stat: ${(pathless * 1000).toFixed(1)} ms`)
  const long = await seconds(() => node.post('files/ls?arg=/many&long=true', undefined, () => {}))
  console.log(`  with sizes: ${(long * 1000).toFixed(0)} ms`)
}

async function middle(node: BenchNode): Promise<void> {
  const chunk = Buffer.alloc(MiB)
  await node.post('files/write?arg=/large&create=true', {
    boundary: 'b',
    chunks: (async function* () {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="data"; filename="f"\r\n\r\n')
      for (let i = 0; i < LARGE / MiB; i++) {
        chunk.writeUInt32LE(i)
        yield Buffer.from(chunk)
      }
      yield Buffer.from('\r\n--b--\r\n')
    })()
  })
  const at = (i: number, size: number) => (i * 7_919_993) % size
  const kib = 'x'.repeat(1024)
  await node.post('files/write?arg=/short&create=true', body(Buffer.alloc(MiB)))
  const short = WRITES / (await seconds(() => pool(WRITES, 1, i => write(node, '/short', kib, `&offset=${at(i, MiB - 1024)}`))))
  const large = WRITES / (await seconds(() => pool(WRITES, 1, i => write(node, '/large', kib, `&offset=${at(i, LARGE - 1024)}`))))
  report({ name: '1 KiB into 256 MiB at any place', measured: large, against: short, unit: '/s (of 1 MiB)', limit: 0.4, better: 'more' })
}

const node = await startNode()
try {
  await small(node)
  if (process.argv[3] === undefined) await middle(node)
  await growing(node)
} finally {
  await node.stop()
}
