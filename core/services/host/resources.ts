import { type Token, token } from '../../token.ts'

/** Something that ends: by its `Symbol.asyncDispose` or `Symbol.dispose`, else by `close`, `destroy` or `stop`, or by being called. */
export type Resource =
  | AsyncDisposable
  | Disposable
  | { close(done?: () => void): unknown }
  | { destroy(): unknown }
  | { stop(): unknown }
  | (() => unknown)

/**
 * The resources of the machine that a plugin holds: timers, sockets, watchers, subscriptions. Each plugin has its own; what was added ends with the plugin,
 * behind its services, the last first, also where its start fails. What takes longer than the host waits for a service is named and left.
 *
 * ```ts
 * service(Clock, { needs: { resources: Resources }, make: ({ resources }) => ({ start: () => void resources.every(60_000, tick) }) })
 * ```
 */
export interface Resources {
  /** Fires when the plugin ends, before anything is closed. */
  readonly signal: AbortSignal
  /** Ends it with the plugin; at once, where that has ended. @returns the same, to go on with */
  add<R extends Resource>(resource: R): R
  /** No longer this plugin's to end. */
  release(resource: Resource): void
  /** Runs `work` every so many milliseconds, a rejection told in the plugin's log. @returns what ends it earlier */
  every(milliseconds: number, work: () => unknown): () => void
  /** Runs `work` once, so many milliseconds from now. @returns what ends it earlier */
  after(milliseconds: number, work: () => unknown): () => void
}
export const Resources: Token<Resources> = token<Resources>('resources')
