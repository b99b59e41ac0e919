import type { Composition } from './composition.ts'
import { type PlannedListener, plannedListeners } from './declarations.ts'
import { refuseLayers } from './layers.ts'

/** The plan of a host's start, before anything starts. */
export interface Planned {
  /** Lines of the configuration that may be mistakes. */
  readonly doubts: readonly string[]
  /** The listeners of plugins whose place is known by then. */
  readonly listeners: readonly PlannedListener[]
  /** Throws what would keep the host from starting over its repo. Nothing is changed. */
  check(): Promise<void>
}

/** @param repo - the folder; undefined where everything is kept in memory */
export function planned(composition: Composition, repo: string | undefined, isVital: (plugin: string) => boolean): Planned {
  return {
    doubts: composition.doubts,
    listeners: composition.order.flatMap(plannedListeners),
    async check() {
      if (repo !== undefined) await refuseLayers(composition, repo, isVital)
    }
  }
}
