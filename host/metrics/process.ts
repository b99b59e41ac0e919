import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Family, Value } from './instruments.ts'

/** Milliseconds between two looks at the delay. */
const RESOLUTION_MS = 20

/** The resources that the process takes: CPU, memory, files, and how long its one thread keeps others waiting. Names are those that clients of Prometheus on Node.js have. */
export class ProcessMetrics {
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined
  #utilization = performance.eventLoopUtilization()

  stop(): void {
    this.#delay?.disable()
  }

  *families(): Iterable<Family> {
    const { user, system } = process.cpuUsage()
    const { rss, external, arrayBuffers } = process.memoryUsage()
    const heap = getHeapStatistics()
    yield one('counter', 'process_cpu_seconds_total', 'CPU time.', (user + system) / 1e6)
    yield one('counter', 'process_cpu_user_seconds_total', 'CPU time in user mode.', user / 1e6)
    yield one('counter', 'process_cpu_system_seconds_total', 'CPU time in system mode.', system / 1e6)
    yield one('gauge', 'process_start_time_seconds', 'When the process started, since 1970.', performance.timeOrigin / 1000)
    yield one('gauge', 'process_resident_memory_bytes', 'Memory in RAM.', rss)
    yield family('gauge', 'process_virtual_memory_bytes', 'Address space.', async () => single(await virtualMemory()))
    yield family('gauge', 'process_open_fds', 'Open files and connections.', async () => single((await listed('/proc/self/fd'))?.length))
    yield family('gauge', 'process_max_fds', 'Limit of open files and connections.', async () => single(await maxFiles()))
    yield one('gauge', 'nodejs_heap_size_total_bytes', "Memory of V8's heap.", heap.total_heap_size)
    yield one('gauge', 'nodejs_heap_size_used_bytes', "What is used of V8's heap.", heap.used_heap_size)
    yield one('gauge', 'nodejs_heap_size_limit_bytes', "Limit of V8's heap.", heap.heap_size_limit)
    yield one('gauge', 'nodejs_external_memory_bytes', "Memory outside V8's heap that its objects hold.", external)
    yield one('gauge', 'nodejs_array_buffers_bytes', 'Memory of buffers.', arrayBuffers)
    yield family('gauge', 'nodejs_active_resources', 'What keeps the event loop busy, by type.', resources)
    yield* this.#eventLoop()
    yield family('gauge', 'nodejs_version_info', 'The version of Node.js.', () => [{ labels: { version: process.version }, value: 1 }])
  }

  /** The first one to ask starts the measuring. */
  *#eventLoop(): Iterable<Family> {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization)
    this.#utilization = now
    yield one(
      'gauge',
      'nodejs_eventloop_utilization',
      'Part of the time since the last look that the event loop was busy, 0 to 1.',
      utilization
    )
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      this.#delay.enable()
      return
    }
    const delay = this.#delay
    const name = 'nodejs_eventloop_lag_seconds'
    const about = 'How much later than due the event loop came round since the last look, in seconds:'
    const of = (what: string, nanoseconds: number) =>
      one('gauge', `nodejs_eventloop_lag_${what}_seconds`, `${about} ${what}.`, delay.count === 0 ? 0 : lag(nanoseconds))
    yield one('gauge', name, `${about} mean.`, delay.count === 0 ? 0 : lag(delay.mean))
    yield of('min', delay.min)
    yield of('max', delay.max)
    for (const part of [50, 90, 99]) yield of(`p${part}`, delay.percentile(part))
    delay.reset()
  }
}

/** The measured delays hold the interval of measuring itself. */
const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)

function family(type: 'counter' | 'gauge', name: string, help: string, values: Family['values']): Family {
  return { name, help, type, values }
}

const one = (type: 'counter' | 'gauge', name: string, help: string, value: number) => family(type, name, help, () => single(value))

const single = (value: number | undefined): Value[] => (value === undefined ? [] : [{ labels: {}, value }])

function resources(): Value[] {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, value]) => ({ labels: { type }, value }))
}

/** Only Linux tells. */
const listed = (folder: string) => readdir(folder).catch(() => undefined)
const read = (file: string) => readFile(file, 'utf8').catch(() => '')

async function virtualMemory(): Promise<number | undefined> {
  const [, kilobytes] = /^VmSize:\s*(\d+) kB$/m.exec(await read('/proc/self/status')) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

async function maxFiles(): Promise<number | undefined> {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(await read('/proc/self/limits')) ?? []
  return soft === undefined ? undefined : Number(soft)
}
