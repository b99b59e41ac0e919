import type { Call, Command } from './command.ts'
import type { Result } from './reply.ts'
import type { Needs, Services } from './token.ts'

/** A function around calls; `next` runs what is inside. It may change the call's result, never collect it. */
export type HookFunction = (call: Call, next: () => Promise<Result>) => Promise<Result>

export interface HookDeclaration<N extends Needs = Needs> {
  /** Which commands it is about; asked once for each when the host starts. The others pay nothing for it. Default: all. */
  only?(command: Command): boolean
  /** Services, by token; injected under these names. */
  needs?: N
  run(services: Services<N>, call: Call, next: () => Promise<Result>): Promise<Result>
}

/** What a plugin puts around calls, its types put aside. */
export type Hook = HookFunction | DeclaredHook

export interface DeclaredHook {
  readonly only: (command: Command) => boolean
  readonly needs: Needs
  run(services: Readonly<Record<string, unknown>>, call: Call, next: () => Promise<Result>): Promise<Result>
}

/** Declares a function around the calls of some commands, with services. */
export function hook<const N extends Needs = {}>({ only = () => true, needs, run }: HookDeclaration<N>): Hook {
  return { only, needs: needs ?? {}, run: run as DeclaredHook['run'] }
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
      return { ...result, items: flow(result.items, call, over) }
    case 'bytes':
      return { ...result, bytes: flow(result.bytes, call, over) }
    default:
      over()
      return result
  }
}

function flow<T>(from: Items<T>, { signal, caller }: Pick<Call, 'signal' | 'caller'>, over: () => void): AsyncIterable<T> {
  let inner: AsyncIterator<T> | Iterator<T> | undefined
  let isOver = false
  const begin = () => {
    inner ??= Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
    return inner
  }
  const end = () => {
    if (isOver) return
    isOver = true
    signal.removeEventListener('abort', giveUp)
    over()
  }
  const stop = async () => {
    try {
      await begin().return?.()
    } finally {
      end()
    }
  }
  /** Of a call that was given up, nobody begins to read the answer; who reads it already sees to its end. */
  const giveUp = () => {
    if (inner === undefined) end()
  }
  if (signal.aborted) giveUp()
  else signal.addEventListener('abort', giveUp, { once: true })
  const flowing: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          if (isOver && inner === undefined) throw signal.reason
          const step = await begin().next()
          if (step.done === true) end()
          return step
        } catch (error) {
          end()
          throw error
        }
      },
      async return() {
        await stop()
        return { done: true as const, value: undefined }
      }
    })
  }
  if (caller.transport === 'process') unread.register(flowing, () => void stop().catch(() => {}))
  return flowing
}
