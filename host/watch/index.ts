import type { Logger } from '../../core/index.ts'
import type { HostCalls } from '../calls/calls.ts'
import { BLOCKED_MS } from '../configuration.ts'
import { ownerOf } from '../plugins/culprit.ts'
import type { Loaded } from '../plugins/load.ts'
import { LoopWatch } from './loop-watch.ts'

interface Parts {
  readonly log: Logger
  readonly calls: HostCalls
  readonly loaded: readonly Loaded[]
  /** 0: never tell. */
  readonly blockedMs: number | undefined
}

/** Begins to watch the event loop for a host; undefined where its configuration wants none of it. */
export async function watchLoop({ log, calls, loaded, blockedMs = BLOCKED_MS }: Parts): Promise<LoopWatch | undefined> {
  if (blockedMs === 0) return undefined
  const watch = new LoopWatch({
    log,
    blockedMs,
    occupants: ms => calls.occupants(ms),
    ownerOf: file => ownerOf(file, loaded),
    strangers: loaded.some(({ place }) => place !== undefined)
  })
  await watch.start()
  return watch
}
