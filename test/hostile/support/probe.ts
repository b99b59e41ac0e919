/** Loaded into a node under attack: tells the test that started it how it does. */
import { readFileSync, writeFileSync } from 'node:fs'
import { plugin, type Result } from '../../../core/index.ts'
import { collectGarbage } from '../../helpers/memory.ts'

/** How a node does. */
export interface Vitals {
  /** Resident memory, and the most there was since the node started or was last told to forget it, in bytes. */
  readonly memory: number
  readonly most: number
  /** Bytes outside of the heap of JavaScript: blocks, and pieces of answers. */
  readonly buffers: number
  /** The longest the node computed without looking at anything else since it was asked last, in milliseconds of processor time. */
  readonly turn: number
  /** Calls that run. */
  readonly running: number
}

let running = 0
let last = busy()
let longest = 0

/** Processor time of this thread in milliseconds: what others do on this machine does not count. */
function busy(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The most resident memory, in bytes. Linux, proc(5): `VmHWM`, which 5 written to `clear_refs` sets back. */
function peak(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]) * 1024
}

function look(): void {
  longest = Math.max(longest, busy() - last)
  tidy()
  last = busy()
}

/** Growth of resident memory in bytes after which garbage is collected: what V8 lets lie before it looks is not what the node needs. */
const GROWTH = 16 << 20
let level = Number.POSITIVE_INFINITY

/** Collects garbage where memory has grown; what that takes is not the node's work. */
function tidy(): void {
  const memory = process.memoryUsage.rss()
  if (memory > level + GROWTH) collectGarbage()
  else if (memory >= level) return
  level = process.memoryUsage.rss()
}

setInterval(look, 2).unref()

process.on('message', message => {
  if (message === 'collect') collectGarbage()
  if (message === 'forget' && process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
  look()
  const vitals: Vitals = {
    memory: process.memoryUsage.rss(),
    most: peak(),
    buffers: process.memoryUsage().arrayBuffers,
    turn: longest,
    running
  }
  longest = 0
  process.send!(vitals)
})
process.channel?.unref()

async function* counted<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  running++
  try {
    yield* items
  } finally {
    running--
  }
}

async function count(next: () => Promise<Result>): Promise<Result> {
  running++
  try {
    const result = await next()
    if (result.kind === 'stream') return { ...result, items: counted(result.items) }
    return result.kind === 'bytes' ? { ...result, bytes: counted(result.bytes) } : result
  } finally {
    running--
  }
}

export default plugin({ name: 'probe', api: '^1', about: 'Tells a test how the node does.', around: [(_, next) => count(next)] })
