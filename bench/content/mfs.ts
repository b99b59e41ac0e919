/**
 * `files/*` over the RPC: small files one at a time and 16 at a time against a command that does nothing, the rate while a directory grows,
 * by content and by CID, a listing, and writes into the middle of a large file. `node dist/bench/content/mfs.js [FILES]`
 */
import { type BenchNode, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const FILES = Number(process.argv[2] ?? 100_000)
const ALONE = 2000
const TOGETHER = 16
const WRITES = 500
const LARGE = 1024 * MiB
/** What the first line of a listing may take. */
const FIRST_LINE_MS = 100

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
    report({ name: `files/write of small files, ${atATime} at a time`, measured: rate, against: nothing, unit: '/s', atLeast: 0.1 })
  }
}

/** Many files into one directory, by their content or by a CID. */
async function growing(node: BenchNode, how: 'write' | 'cp'): Promise<void> {
  const folder = `/many-${how}`
  await node.post(`files/mkdir?arg=${folder}`)
  const { Hash } = JSON.parse(await node.post('add?pin=false', body(Buffer.from('what is copied')))) as { Hash: string }
  const put = (i: number) =>
    how === 'write' ? write(node, `${folder}/file-${i}`, `number ${i}\n`) : node.post(`files/cp?arg=/ipfs/${Hash}&arg=${folder}/file-${i}`)
  const steps = 10
  const rates: number[] = []
  const memory: number[] = []
  for (let step = 0; step < steps; step++) {
    const each = FILES / steps
    const took = await seconds(() => pool(each, TOGETHER, i => put(step * each + i)))
    rates.push(each / took)
    memory.push(await node.memory())
    console.log(`  ${(step + 1) * each} by files/${how}: ${(each / took).toFixed(0)}/s, ${memory.at(-1)!.toFixed(0)} MiB`)
  }
  const against = { measured: rates.at(-1)!, against: rates[1]!, unit: '/s', atLeast: 0.8 } as const
  report({ name: `the last tenth of ${FILES} by files/${how} into one directory, against the second`, ...against })
  report({ name: 'memory at its end', measured: memory.at(-1)!, against: memory[1]!, unit: 'MiB', atMost: 1.25 })
  for (const more of ['', '&long=true', '&lines=true', '&lines=true&long=true']) {
    const began = performance.now()
    let first: number | undefined
    await node.post(`files/ls?arg=${folder}${more}`, undefined, () => {
      first ??= performance.now() - began
    })
    const took = performance.now() - began
    console.log(`  files/ls${more} of ${FILES}: ${took.toFixed(0)} ms, the first bytes after ${first!.toFixed(1)} ms`)
    if (more.startsWith('&lines'))
      report({ name: `first line of files/ls${more} of ${FILES}`, measured: first!, against: FIRST_LINE_MS, unit: 'ms', atMost: 1 })
  }
}

/** `files/stat` of a file against a call that does nothing. */
async function stat(node: BenchNode): Promise<void> {
  await write(node, '/looked-at', 'x')
  const nothing = ALONE / (await seconds(() => pool(ALONE, 1, () => node.post('version'))))
  const rate = ALONE / (await seconds(() => pool(ALONE, 1, () => node.post('files/stat?arg=/looked-at'))))
  report({ name: 'files/stat of a file, one at a time', measured: rate, against: nothing, unit: '/s', atLeast: 0.4 })
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
  report({ name: '1 KiB into 1 GiB at any place', measured: large, against: short, unit: '/s (of 1 MiB)', atLeast: 0.4 })
  const together = WRITES / (await seconds(() => pool(WRITES, TOGETHER, i => write(node, '/large', kib, `&offset=${at(i, LARGE - 1024)}`))))
  report({ name: 'the same, 16 at a time', measured: together, against: large, unit: '/s (one at a time)', atLeast: 0.7 })
}

const node = await startNode()
try {
  await small(node)
  await stat(node)
  if (process.argv[3] === undefined) await middle(node)
  await growing(node, 'write')
  await growing(node, 'cp')
} finally {
  await node.stop()
}
