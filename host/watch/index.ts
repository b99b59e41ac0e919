import type { Logger } from '../../core/index.ts'
import type { HostCalls } from '../calls/calls.ts'
import { BLOCKED_MS } from '../configuration.ts'
import { ownerOf } from '../plugins/load/culprit.ts'
import type { LoadedPlugin } from '../plugins/load/load.ts'
import { LoopWatch } from './loop-watch.ts'

interface Parts {
  readonly log: Logger
  readonly calls: HostCalls
}

/** Begins to watch the event loop for a host; not where `blockedMs` is 0. @returns what ends the watch */
export async function watchLoop(
  { log, calls }: Parts,
  loaded: readonly LoadedPlugin[],
  blockedMs: number = BLOCKED_MS
): Promise<() => Promise<void>> {
  if (blockedMs === 0) return async () => {}
  const watch = new LoopWatch({
    log,
    blockedMs,
    occupants: ms => calls.occupants(ms),
    ownerOf: file => ownerOf(file, loaded),
    strangers: loaded.some(({ place }) => place !== undefined)
  })
  await watch.start()
  return async () => watch.stop()
}
