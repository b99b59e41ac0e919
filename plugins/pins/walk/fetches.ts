import type { CID } from 'multiformats/cid'
import { unlessAborted } from '../../../core/abort.ts'
import { type BlockSources, commonErrors, type WriteBarrier } from '../../../core/index.ts'
import { idOf } from '../store/record.ts'
import type { Graph } from './graph.ts'
import type { ProgressNotes } from './progress.ts'
import { Trail } from './trail.ts'
import { VisitedCids } from './visited.ts'
import { type Children, GraphWalk, type Leaves } from './walk.ts'

interface FetchOptions {
  signal?: AbortSignal
  offline?: boolean
  onProgress?(nodes: number): void
}

/** How far a walk loads ahead where blocks come from peers: a round trip takes as long for one as for many. */
const FROM_PEERS = { ahead: 128, leastAhead: 128 }

interface Source {
  readonly children: Children
  readonly leaves: Leaves
  readonly isFromPeers: boolean
}

/** One walk, and those who wait for it. */
interface Running {
  readonly done: Promise<boolean>
  readonly stop: AbortController
  readonly listeners: Set<(nodes: number) => void>
  waiting: number
}

/**
 * Brings whole graphs into the store. Who asks for the graph of a root that is on its way waits with those before him; the walk ends when
 * nobody waits any more, leaving a note from which the next one goes on.
 */
export class Fetches {
  readonly #graph: Graph
  readonly #notes: ProgressNotes
  /** Makes the blocks so far durable: a note must not speak of one that a power loss takes away. */
  readonly #sync: () => Promise<void>
  readonly #barrier: WriteBarrier
  readonly #sources: Pick<BlockSources, 'size'> | undefined
  readonly #running = new Map<string, Running>()

  constructor(graph: Graph, notes: ProgressNotes, sync: () => Promise<void>, barrier: WriteBarrier, sources?: Pick<BlockSources, 'size'>) {
    this.#graph = graph
    this.#notes = notes
    this.#sync = sync
    this.#barrier = barrier
    this.#sources = sources
  }

  /**
   * Resolves when every node below `root`, which the caller has announced, is stored here.
   *
   * @returns whether there is a note to be removed, once its purpose is fulfilled
   * @throws what fetching throws, and the reason of `signal`
   */
  async fetch(root: CID, { signal, offline = false, onProgress }: FetchOptions): Promise<boolean> {
    signal?.throwIfAborted()
    const running = await this.#join(`${idOf(root)} ${offline}`, root, offline)
    if (onProgress !== undefined) running.listeners.add(onProgress)
    try {
      return await unlessAborted(running.done, signal)
    } finally {
      if (onProgress !== undefined) running.listeners.delete(onProgress)
      if (--running.waiting === 0) running.stop.abort(signal?.reason)
    }
  }

  /** Ends all walks and waits until each has left its note. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()]
    for (const { stop } of running) stop.abort(commonErrors.E_CANCELLED())
    await Promise.allSettled(running.map(({ done }) => done))
  }

  async #join(name: string, root: CID, offline: boolean): Promise<Running> {
    let running = this.#running.get(name)
    // One that was given up still writes down how far it got, for the next to find.
    while (running?.stop.signal.aborted === true) {
      await running.done.catch(() => {})
      running = this.#running.get(name)
    }
    running ??= this.#start(name, root, offline)
    running.waiting++
    return running
  }

  #start(name: string, root: CID, offline: boolean): Running {
    const stop = new AbortController()
    const listeners: Running['listeners'] = new Set()
    // What it has seen stays while it runs; after that the announcements of those who asked for it see to that.
    const lease = this.#barrier.hold({ signal: stop.signal })
    const source = {
      children: this.#graph.fetching({ offline, lease }),
      leaves: this.#graph.stored({ lease }),
      isFromPeers: (this.#sources?.size ?? 0) > 0 && !offline
    }
    const done = this.#walk(root, source, stop.signal, nodes => {
      for (const listener of listeners) listener(nodes)
    }).finally(() => {
      this.#running.delete(name)
      lease.release()
    })
    done.catch(() => {})
    const running = { done, stop, listeners, waiting: 0 }
    this.#running.set(name, running)
    return running
  }

  async #walk(
    root: CID,
    { children, leaves, isFromPeers }: Source,
    signal: AbortSignal,
    report: (nodes: number) => void
  ): Promise<boolean> {
    const { era } = this.#notes
    const links = await children(root, { signal })
    report(1)
    if (links.length === 0) return false
    const note = await this.#notes.resume(root, children, signal)
    const frames = note?.frames ?? [{ cid: root, links, next: 0 }]
    let visited = note?.visited ?? 1
    const seen = new VisitedCids()
    seen.add(root)
    for (const { cid } of frames) seen.add(cid)
    const trail = new Trail(() => this.#notes.save(root, { frames, visited }, era, this.#sync), visited, note !== undefined)
    try {
      for await (const _ of new GraphWalk(frames, children, { signal, seen, leaves, ...(isFromPeers && FROM_PEERS) }).visits()) {
        report(++visited)
        const noting = trail.passed(visited)
        if (noting !== undefined) await noting
      }
    } catch (error) {
      await trail.breakOff(visited)
      throw error
    }
    return trail.isNoted
  }
}
