import type { Declaration } from '../../core/contract/command.ts'
import type { AnyParameter, Parameter, Parameters } from '../../core/contract/params.ts'
import type { EitherReply, Reply, StreamReply, ValueReply } from '../../core/contract/reply.ts'
import type { Upload } from './content.ts'
import type { GlobalOptions } from './generated/globals.ts'

/** A CID, a multiaddr: something with bytes that writes itself as text. */
export interface Printable {
  readonly bytes: Uint8Array
  toString(): string
}

/** A CID, path or address, as text or as the object it stands for. */
export type Name = string | Printable

/** The types of one command of a node. */
export interface CommandTypes {
  /** The arguments by declared name. */
  args: object
  /** The arguments in order. */
  list: readonly unknown[]
  options: object
  /** Whether it takes an upload. */
  body: boolean
  reply: unknown
}

interface NoTypes {
  args: Record<string, never>
  list: readonly []
  options: Record<string, never>
  body: false
  reply: undefined
}

/** The types of a command: those given, and for what is left out no arguments, no options, no upload, no answer. One argument needs no `list`. */
export type CommandWith<T extends Partial<CommandTypes>> = {
  [K in keyof CommandTypes]: K extends keyof T ? T[K] : [K, T] extends ['list', { args: infer A }] ? OnlyArgument<A> : NoTypes[K]
}

/** The list of a command with one argument: the value, or its values where it takes several. */
type OnlyArgument<A, V = Required<A>[keyof A]> = [V] extends [readonly (infer I)[]]
  ? {} extends A
    ? readonly I[]
    : readonly [I, ...I[]]
  : {} extends A
    ? readonly [V?]
    : readonly [V]

/** How far a call is. */
export interface Progress {
  readonly direction: 'sent' | 'received'
  /** Bytes so far. */
  readonly bytes: number
  /** Bytes in all, where that is known. */
  readonly total?: number | undefined
}

export interface CallOptions {
  /** Ends the call, and the node's work on it. */
  readonly signal?: AbortSignal | undefined
  /** Most milliseconds that the call may take, its whole answer included. */
  readonly timeout?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

type Given<A extends object, L> = {} extends A ? { readonly args?: A | L } : { readonly args: A | L }
type Sent<B> = B extends true ? { readonly body: Upload } : {}

/** A call of a command. */
export type CallRequest<T extends CommandTypes> = CallOptions &
  Given<T['args'], T['list']> &
  Sent<T['body']> & { readonly options?: T['options'] & GlobalOptions }

/** A call of a command that the compiler does not know. */
export interface UntypedRequest extends CallOptions {
  readonly args?: readonly unknown[] | Readonly<Record<string, unknown>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: Upload
}

/** How a value looks once it was JSON. */
export type Wire<T> = T extends bigint
  ? number | bigint
  : T extends Date
    ? string
    : T extends Uint8Array
      ? string
      : T extends { readonly multihash: unknown; readonly bytes: Uint8Array }
        ? { '/': string }
        : T extends ReadonlyMap<unknown, infer V>
          ? Record<string, Wire<V>>
          : T extends object
            ? { [K in keyof T]: Wire<T[K]> }
            : T

type ZodInput<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : never

/** The answer of a call, by its declared reply. */
export type ReplyOf<R extends Reply> =
  R extends ValueReply<infer S>
    ? Wire<ZodInput<S>>
    : R extends StreamReply<infer S>
      ? AsyncIterable<Wire<ZodInput<S>>>
      : R extends EitherReply<infer V, infer S>
        ? Wire<ZodInput<V>> | AsyncIterable<Wire<ZodInput<S>>>
        : R extends { readonly kind: 'bytes' }
          ? AsyncIterable<Uint8Array>
          : undefined

/** The values that a caller may give where `run` gets T. */
type Sayable<T> = T extends bigint ? bigint | number | string : T extends string | number | boolean ? T : T extends Printable ? Name : T

type ParameterValue<P> =
  P extends Parameter<infer T, infer M, boolean, boolean> ? (M extends true ? readonly Sayable<T>[] : Sayable<T>) : never
type MayBeLeftOut<P> = P extends Parameter<unknown, boolean, infer D, infer O> ? (D extends true ? true : O) : never

type ArgumentsOf<A extends Parameters> = {
  readonly [K in keyof A as MayBeLeftOut<A[K]> extends true ? never : K]: ParameterValue<A[K]>
} & {
  readonly [K in keyof A as MayBeLeftOut<A[K]> extends true ? K : never]?: ParameterValue<A[K]>
}
type OptionsOf<O extends Record<string, AnyParameter>> = { readonly [K in keyof O]?: ParameterValue<O[K]> }
type One<T> = T extends readonly (infer I)[] ? I : T

type TypesOf<D> = D extends {
  readonly args: infer A extends Parameters
  readonly options: infer O extends Parameters
  readonly reply: infer R extends Reply
  readonly body: infer B
}
  ? {
      args: ArgumentsOf<A>
      list: readonly One<ParameterValue<A[keyof A]>>[]
      options: OptionsOf<O>
      body: B extends object ? true : false
      reply: ReplyOf<R>
    }
  : never

/**
 * The types of a command of your own, for the client:
 *
 * ```ts
 * declare module 'holdfast/client' {
 *   interface Commands {
 *     hello: CommandOf<typeof hello>
 *   }
 * }
 * ```
 */
export type CommandOf<C> = TypesOf<Declaration<C>>
