import type { HeapProfiler, Profiler } from 'node:inspector'
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import type { Activity } from '../../../core/index.ts'
import { sleep } from '../../../core/timing.ts'
import { diagnosticsErrors } from '../errors.ts'

/** The time between two samples of a CPU profile, in microseconds, and between two of the heap, in bytes that were asked for. */
const CPU_EVERY_US = 1000
const HEAP_EVERY_BYTES = 32_768
/** Longest profile of the heap with so many samples, in milliseconds; longer ones have no more in all, as each is held until the end. */
const HEAP_DENSE_MS = 30_000

/** How many events of a trace are kept. */
const MOST_EVENTS = 100_000

/** Where the CPU's time goes, as Chrome's `.cpuprofile`. */
export async function* cpuProfile(milliseconds: number, signal: AbortSignal): AsyncGenerator<string> {
  const { profile } = await inspecting(async post => {
    post('Profiler.enable')
    post('Profiler.setSamplingInterval', { interval: CPU_EVERY_US })
    post('Profiler.start')
    await sleep(milliseconds, signal)
    return post<Profiler.StopReturnType>('Profiler.stop')
  })
  const { nodes, samples = [], timeDeltas = [], ...times } = profile
  yield '{"nodes":'
  yield* list(nodes)
  yield ',"samples":'
  yield* list(samples)
  yield ',"timeDeltas":'
  yield* list(timeDeltas)
  yield `,${JSON.stringify(times).slice(1)}`
}

const FREED_TOO = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }

/** Allocations by function, memory that is free again included, as Chrome's `.heapprofile`. @throws E_PROFILE_BUSY */
export async function* allocationProfile(milliseconds: number, signal: AbortSignal): AsyncGenerator<string> {
  const { profile } = await inspecting(async post => {
    if (isSampling(post)) throw diagnosticsErrors.E_PROFILE_BUSY()
    post('HeapProfiler.startSampling', { samplingInterval: heapInterval(milliseconds), ...FREED_TOO })
    await sleep(milliseconds, signal)
    return post<HeapProfiler.StopSamplingReturnType>('HeapProfiler.stopSampling')
  })
  // The declarations know of no samples.
  const { head, samples = [] } = profile as HeapProfiler.SamplingHeapProfile & { samples?: readonly object[] }
  yield `{"head":${JSON.stringify(head)},"samples":`
  yield* list(samples)
  yield '}'
}

/** Bytes that are asked for between two samples of the heap. */
export function heapInterval(milliseconds: number): number {
  return Math.round(HEAP_EVERY_BYTES * Math.max(1, milliseconds / HEAP_DENSE_MS))
}

/** V8 samples the heap once for the whole process: the end of another host's profile would be the end of this one too. */
function isSampling(post: Post): boolean {
  try {
    post('HeapProfiler.getSamplingProfile')
    return true
  } catch {
    return false
  }
}

/** How long the one thread kept others waiting: the delays of a timer that is due every `resolution` milliseconds. In nanoseconds. */
export async function* eventLoopDelay(milliseconds: number, signal: AbortSignal, resolution: number): AsyncGenerator<string> {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  try {
    await sleep(milliseconds, signal)
  } finally {
    delay.disable()
  }
  const { count, min, max, mean, stddev } = delay
  const percentiles = Object.fromEntries(count === 0 ? [] : delay.percentiles)
  const known = count === 0 ? {} : { min, max, mean, stddev }
  yield JSON.stringify({ unit: 'ns', resolutionMs: resolution, count, ...known, percentiles })
}

/** How much of the time the one thread was busy. In milliseconds. */
export async function* eventLoopUtilization(milliseconds: number, signal: AbortSignal): AsyncGenerator<string> {
  const before = performance.eventLoopUtilization()
  await sleep(milliseconds, signal)
  const { idle, active, utilization } = performance.eventLoopUtilization(performance.eventLoopUtilization(), before)
  yield JSON.stringify({ unit: 'ms', idle, active, utilization })
}

/** Events of the process, as Chrome's trace events: collections of garbage, and the calls that ran. Times in microseconds since 1970. */
export async function* trace(milliseconds: number, signal: AbortSignal, activity: Activity): AsyncGenerator<string> {
  const began = Date.now()
  const events: object[] = []
  const observer = new PerformanceObserver(entries => {
    for (const { startTime, duration, detail } of entries.getEntries() as Array<PerformanceEntry & { detail?: unknown }>) {
      if (events.length >= MOST_EVENTS) return
      const ts = Math.round((performance.timeOrigin + startTime) * 1000)
      events.push({ name: 'gc', ph: 'X', ts, dur: Math.round(duration * 1000), pid: process.pid, tid: 0, args: { detail } })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  try {
    await sleep(milliseconds, signal)
  } finally {
    observer.disconnect()
  }
  const now = Date.now()
  for (const { id, command, start, end } of activity.list()) {
    const from = Math.max(began, start.getTime())
    const to = end?.getTime() ?? now
    if (to >= began) events.push({ name: command, ph: 'X', ts: from * 1000, dur: (to - from) * 1000, pid: process.pid, tid: id + 1 })
  }
  yield '{"traceEvents":'
  yield* list(events)
  yield '}'
}

type Post = <T = void>(method: string, parameters?: object) => T

/** Works with V8's inspector of this thread, which answers before a call returns. Whatever was started ends with the work. */
async function inspecting<T>(work: (post: Post) => Promise<T>): Promise<T> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connect()
  const post = (method: string, parameters?: object): unknown => {
    let answer: unknown
    let failure: Error | null = null
    session.post(method, parameters, (error, result) => {
      failure = error
      answer = result
    })
    if (failure !== null) throw failure
    return answer
  }
  try {
    return await work(post as Post)
  } finally {
    session.disconnect()
  }
}

/** A JSON list in pieces, so that others get a turn in between. */
async function* list(items: readonly unknown[]): AsyncGenerator<string> {
  yield '['
  for (let i = 0; i < items.length; i += 1000) {
    const piece = JSON.stringify(items.slice(i, i + 1000)).slice(1, -1)
    yield i === 0 ? piece : `,${piece}`
    await new Promise(resolve => setImmediate(resolve))
  }
  yield ']'
}
