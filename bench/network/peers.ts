/**
 * Content from a peer on this machine, each in a process of its own: a large file and many small ones against adding the same to a node of its own
 * in the same run, and against the reference; single blocks against reading them where they are; and the time to the first byte against a call that does
 * nothing. Limits of ratios are about half as good as what a machine at rest does: both nodes and the client share its cores.
 */

import type { BenchNode } from '../support/node.ts'
import { lastHash, manyFiles, oneFile } from '../support/node.ts'
import { connect, startOnline } from '../support/online.ts'
import { MiB, median, report, seconds } from '../support/report.ts'

const size = 256 * MiB
const FILES = 2000
const BLOCKS = 1000
/** Callers that ask for blocks at a time. */
const CALLERS = 16
const SMALL = 21
/** What Kubo does between two nodes on such a machine, the better of 0.28 and 0.42, in MiB and files a second. */
const REFERENCE = { cat: 112, pin: 2530 }

const [source, sink] = await Promise.all([startOnline(), startOnline()])

/** Seconds of the processor that a node uses meanwhile. */
async function processor(node: BenchNode, work: () => Promise<unknown>): Promise<number> {
  const before = await node.cpu()
  await work()
  return (await node.cpu()) - before
}

async function read(node: BenchNode, cids: readonly string[]): Promise<void> {
  const left = [...cids]
  const caller = async () => {
    for (let cid = left.pop(); cid !== undefined; cid = left.pop()) await node.post(`block/get?arg=${cid}`)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

async function firstByte(path: string): Promise<number> {
  const began = performance.now()
  let first: number | undefined
  await sink.post(path, undefined, () => {
    first ??= performance.now() - began
  })
  if (first === undefined) throw new Error(`${path} sent nothing`)
  return first
}

try {
  await connect(sink, source)

  let hash = ''
  const adding = await seconds(async () => {
    hash = lastHash(await source.post('add?pin=false', oneFile(size, 5)))
  })
  let bytes = 0
  const fetching = await seconds(() =>
    sink.post(`cat?arg=${hash}`, undefined, chunk => {
      bytes += chunk.length
    })
  )
  if (bytes !== size) throw new Error(`cat sent ${bytes} bytes`)
  const cat = { measured: size / MiB / fetching, unit: 'MiB/s' }
  report({ name: 'cat of 256 MiB from a peer against adding them', against: size / MiB / adding, atLeast: 0.15, ...cat })
  report({ name: 'cat of 256 MiB from a peer against the reference', against: REFERENCE.cat, atLeast: 1, ...cat })

  let root = ''
  let addingMany = 0
  const addingCpu = await processor(source, async () => {
    addingMany = await seconds(async () => {
      root = lastHash(await source.post('add?pin=false', manyFiles(FILES)))
    })
  })
  let pinning = 0
  const pinningCpu = await processor(sink, async () => {
    pinning = await seconds(() => sink.post(`pin/add?arg=${root}`))
  })
  const pin = { measured: FILES / pinning, unit: 'files/s' }
  report({ name: `pin/add of ${FILES} small files from a peer against adding them`, against: FILES / addingMany, atLeast: 0.8, ...pin })
  report({ name: `pin/add of ${FILES} small files from a peer against the reference`, against: REFERENCE.pin, atLeast: 1, ...pin })
  report({
    name: 'the processor for one of them against adding it',
    measured: (pinningCpu * 1e6) / FILES,
    against: (addingCpu * 1e6) / FILES,
    unit: 'µs',
    atMost: 2
  })

  // files of a block each, which no call asks for together
  const added = await source.post('add?pin=false&raw-leaves=true', manyFiles(BLOCKS, 3))
  const cids = added.trim().split('\n').slice(0, BLOCKS).map(lastHash)
  report({
    name: `block/get of ${BLOCKS} small blocks from a peer, ${CALLERS} at a time, against where they are`,
    measured: BLOCKS / (await seconds(() => read(sink, cids))),
    against: BLOCKS / (await seconds(() => read(source, cids))),
    unit: 'blocks/s',
    atLeast: 0.15
  })

  // in turn, and each a new one
  const taken = { call: [] as number[], file: [] as number[], block: [] as number[] }
  for (let i = 0; i < SMALL; i++) {
    const small = lastHash(await source.post('add?pin=false', oneFile(1000, 9000 + i)))
    const block = lastHash(await source.post('add?pin=false&raw-leaves=true&cid-version=1', oneFile(256 * 1024, 9000 + i)))
    taken.call.push(await firstByte('version'))
    taken.file.push(await firstByte(`cat?arg=${small}`))
    taken.block.push(await firstByte(`block/get?arg=${block}`))
  }
  const less = { against: median(taken.call), unit: 'ms' }
  report({
    name: 'first byte of a small file from a peer against a call that does nothing',
    measured: median(taken.file),
    atMost: 8,
    ...less
  })
  report({ name: 'first byte of a block of 256 KiB from a peer against the same', measured: median(taken.block), atMost: 12, ...less })
  console.log(`memory: ${(await source.memory()).toFixed(0)} MiB at the source, ${(await sink.memory()).toFixed(0)} MiB at the sink`)
} finally {
  await Promise.all([source.stop(), sink.stop()])
}
