import type { Logger } from '../services/host/logs.ts'
import type { Needs, Services } from '../token.ts'
import type { Caller } from './caller.ts'
import type { Call, Command } from './command.ts'
import type { Result } from './reply.ts'
import type { RouteDeclaration } from './routes.ts'

/** The things that a hook can lie around beside calls: requests for routes, and calls whose words do not make one. */
export type Beyond = 'routes' | 'malformed'

/** A request for a command that is no call of it: an argument lacks, an option does not read. `next` throws `error`. */
export interface MalformedCall {
  readonly kind: 'malformed'
  readonly command: Command
  readonly caller: Caller
  readonly log: Logger
  readonly error: unknown
}

/**
 * A request for a route. `next` resolves to a result of kind `nothing` once its handler has returned, though it may go on answering, and
 * throws what that threw. What a hook throws is the answer where none has begun.
 */
export interface RouteVisit {
  readonly kind: 'route'
  readonly route: RouteDeclaration
  readonly method: string
  /** The path of the request, still percent-encoded and without its query. */
  readonly path: string
  readonly caller: Caller
  readonly log: Logger
  /** Fires when the caller leaves or the host stops. */
  readonly signal: AbortSignal
}

/** The call, request or visit that a hook is called with. */
export type Surrounded<B extends Beyond = never> =
  | Call
  | ('malformed' extends B ? MalformedCall : never)
  | ('routes' extends B ? RouteVisit : never)

/**
 * A function around calls; `next` runs what is inside. It may change the call's result, never collect it; what it throws is the answer. The
 * log it is given is its own plugin's.
 */
export type HookFunction<B extends Beyond = never> = (call: Surrounded<B>, next: () => Promise<Result>) => Promise<Result>

export interface HookDeclaration<N extends Needs = Needs, B extends Beyond = never> {
  /** Which commands it is about, given its services; asked once for each when the host starts. The others pay nothing for it. Default: all. */
  only?(command: Command, services: Services<N>): boolean
  /** The things it lies around besides; `call.kind` tells which it is: `call`, `malformed`, `route`. Default: nothing else. */
  also?: readonly B[]
  /** Services, by token; injected under these names. */
  needs?: N
  run(services: Services<N>, call: Surrounded<B>, next: () => Promise<Result>): Promise<Result>
}

/** A hook around calls, its types put aside. */
export type Hook = HookFunction | DeclaredHook

export interface DeclaredHook {
  readonly only: (command: Command, services: Readonly<Record<string, unknown>>) => boolean
  readonly also: ReadonlySet<Beyond>
  readonly needs: Needs
  run(services: Readonly<Record<string, unknown>>, call: Surrounded<Beyond>, next: () => Promise<Result>): Promise<Result>
}

/** Declares a function around the calls of some commands, with services. */
export function hook<const N extends Needs = {}, const B extends Beyond = never>(declaration: HookDeclaration<N, B>): Hook {
  const { only = () => true, also = [], needs = {}, run } = declaration
  return { only: only as DeclaredHook['only'], also: new Set<Beyond>(also), needs, run: run as unknown as DeclaredHook['run'] }
}

type Items<T> = AsyncIterable<T> | Iterable<T>

/** Ends what is behind streams that nobody reads and nobody ends; a listener always does one or the other. */
const unread = new FinalizationRegistry<() => void>(end => end())

/**
 * The same result, and `over` called once when the call has come to its end: at once where the answer is whole; where it flows, when it has
 * ended, was broken off, or can no longer be read, and what makes it has stopped.
 */
export function whenOver(call: Pick<Call, 'signal' | 'caller'>, result: Result, over: () => void): Result {
  switch (result.kind) {
    case 'stream':
      if (Array.isArray(result.items)) break
      return { ...result, items: flow(result.items, call, over) }
    case 'bytes':
      return { ...result, bytes: flow(result.bytes, call, over) }
  }
  over()
  return result
}

function flow<T>(from: Items<T>, { signal, caller }: Pick<Call, 'signal' | 'caller'>, over: () => void): AsyncIterable<T> {
  const watched = new Watched(from, signal, over)
  const flowing = new Flowing(watched)
  if (caller.transport !== 'http') unread.register(flowing, () => void watched.stop().catch(() => {}))
  return flowing
}

/**
 * A watched stream as it is handed out: the same object is what is iterated and what iterates, so that it is there for as long as anybody reads,
 * and memory that is collected amid an answer ends nothing.
 */
class Flowing<T> implements AsyncIterableIterator<T> {
  readonly #watched: Watched<T>

  constructor(watched: Watched<T>) {
    this.#watched = watched
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<T>> {
    return this.#watched.next()
  }

  return(): Promise<IteratorResult<T>> {
    return this.#watched.return()
  }
}

/** A stream of items, begun when it is first read; `over` is called when it has stopped. */
class Watched<T> {
  readonly #from: Items<T>
  readonly #signal: AbortSignal
  readonly #over: () => void
  readonly #onAbort: () => void
  #inner: AsyncIterator<T> | Iterator<T> | undefined
  #isOver = false

  constructor(from: Items<T>, signal: AbortSignal, over: () => void) {
    this.#from = from
    this.#signal = signal
    this.#over = over
    // Of a call that was given up, nobody begins to read the answer; who reads it already sees to its end. A function, and one with a name of
    // its own: of an object that listens, and of a function that is assigned where it stands, V8 keeps what they hold until a full collection.
    const onAbort = () => {
      if (this.#inner === undefined) this.#end()
    }
    this.#onAbort = onAbort
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      if (this.#isOver && this.#inner === undefined) throw this.#signal.reason
      const step = await this.#begin().next()
      if (step.done === true) this.#end()
      return step
    } catch (error) {
      this.#end()
      throw error
    }
  }

  async return(): Promise<IteratorResult<T>> {
    await this.stop()
    return { done: true, value: undefined }
  }

  async stop(): Promise<void> {
    try {
      await this.#begin().return?.()
    } finally {
      this.#end()
    }
  }

  #begin(): AsyncIterator<T> | Iterator<T> {
    const from = this.#from
    this.#inner ??= Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
    return this.#inner
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#over()
  }
}
