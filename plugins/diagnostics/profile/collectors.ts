import type { Activity, Host, Repo } from '../../../core/index.ts'
import { dependencies } from '../dependencies.ts'
import { versionOf } from '../version-info.ts'
import { heapSnapshot } from './heap-snapshot.ts'
import { allocationProfile, cpuProfile, eventLoopDelay, eventLoopUtilization, trace } from './samplers.ts'
import { diagnosticReport, stacks } from './stacks.ts'
import { withoutKey } from './without-key.ts'

/** The parts of the node that collectors look at. */
export interface Scene {
  readonly host: Host
  readonly activity: Activity
  /** The repo whose private key is left out of what is collected. */
  readonly repo: Pick<Repo, 'identity'> | undefined
  /** How long samples are taken. */
  readonly milliseconds: number
  /** The time between two looks at the event loop, in milliseconds, 1 or more. */
  readonly resolution: number
  readonly signal: AbortSignal
}

type Content = AsyncIterable<string | Uint8Array> | Iterable<string>

export interface Collector {
  /** The name in the archive. */
  readonly file: string
  /** `sampled` ones take the profile's time, all at once; `heap` comes last, as everything stands still for it. */
  readonly kind: 'instant' | 'sampled' | 'heap'
  collect(scene: Scene): Content
}

/** Collectors by the reference's names (Kubo 0.28, profile/profile.go). */
export const collectors: ReadonlyMap<string, Collector> = new Map<string, Collector>([
  ['goroutines-stack', { file: 'stacks.txt', kind: 'instant', collect: ({ activity }) => [stacks(activity)] }],
  ['goroutines-pprof', { file: 'report.json', kind: 'instant', collect: () => [JSON.stringify(diagnosticReport())] }],
  ['version', { file: 'version.json', kind: 'instant', collect: ({ host }) => [`${JSON.stringify(versionOf(host))}\n`] }],
  ['heap', { file: 'heap.heapsnapshot', kind: 'heap', collect: ({ signal, repo }) => snapshot(signal, repo) }],
  [
    'allocs',
    { file: 'allocs.heapprofile', kind: 'sampled', collect: ({ milliseconds, signal }) => allocationProfile(milliseconds, signal) }
  ],
  ['bin', { file: 'packages.json', kind: 'instant', collect: () => packages() }],
  ['cpu', { file: 'cpu.cpuprofile', kind: 'sampled', collect: ({ milliseconds, signal }) => cpuProfile(milliseconds, signal) }],
  [
    'mutex',
    {
      file: 'event-loop-utilization.json',
      kind: 'sampled',
      collect: ({ milliseconds, signal }) => eventLoopUtilization(milliseconds, signal)
    }
  ],
  [
    'block',
    {
      file: 'event-loop-delay.json',
      kind: 'sampled',
      collect: ({ milliseconds, signal, resolution }) => eventLoopDelay(milliseconds, signal, resolution)
    }
  ],
  ['trace', { file: 'trace.json', kind: 'sampled', collect: ({ milliseconds, signal, activity }) => trace(milliseconds, signal, activity) }]
])

function snapshot(signal: AbortSignal, repo: Scene['repo']): AsyncIterable<Uint8Array> {
  const bytes = heapSnapshot(signal)
  return repo === undefined ? bytes : withoutKey(bytes, repo.identity)
}

async function* packages(): AsyncGenerator<string> {
  const all = []
  for await (const { name, version } of dependencies()) all.push({ name, version })
  yield JSON.stringify(all)
}
