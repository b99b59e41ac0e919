import type { z } from 'zod'
import type { HttpWords } from './http.ts'

/** One object. */
export interface ValueReply<S extends z.ZodType = z.ZodType> {
  readonly kind: 'value'
  readonly schema: S
}
/** Objects one after the other, each on its line, sent as they come. */
export interface StreamReply<S extends z.ZodType = z.ZodType> {
  readonly kind: 'stream'
  readonly schema: S
  /** Whether the head goes out before the first object is there, so that an error in it comes late. */
  readonly eager?: boolean
}
/** Octets as they are. */
export interface BytesReply {
  readonly kind: 'bytes'
  /** Whether they are text for people, so that a terminal shows what does not print in it escaped. */
  readonly text: boolean
}
/** Success without a word. */
export interface NothingReply {
  readonly kind: 'nothing'
}
/** One object, or objects one after the other, as the options of the call have it. */
export interface EitherReply<V extends z.ZodType = z.ZodType, S extends z.ZodType = z.ZodType> {
  readonly kind: 'either'
  readonly value: V
  readonly items: S
}
export type Reply = ValueReply | StreamReply | EitherReply | BytesReply | NothingReply

/** The reply is one object. Members are sent in the schema's order; an `undefined` one is left out, `null` is sent. */
export function value<S extends z.ZodType>(schema: S): ValueReply<S> {
  return { kind: 'value', schema }
}
/**
 * The reply is a stream of objects; `run` is an async generator of them, or returns an array of what is all there. An error before the first is an
 * ordinary error.
 *
 * @param eager - whether the head goes out as soon as `run` has given the objects, for those that may be long in coming. Default false
 */
export function stream<S extends z.ZodType>(schema: S, { eager = false }: { eager?: boolean } = {}): StreamReply<S> {
  return { kind: 'stream', schema, ...(eager ? { eager } : {}) }
}
/** The reply is one object of the first shape or a stream of the second, e.g. where an option asks for progress: `run` returns either. */
export function either<V extends z.ZodType, S extends z.ZodType>(value: V, items: S): EitherReply<V, S> {
  return { kind: 'either', value, items }
}
/**
 * The reply is raw octets: an async iterable of chunks, or {@link Octets} where the length is known or the head must go out at once.
 *
 * @param text - whether they are text for people, as JSON is: a terminal shows what does not print in it escaped. Others it gets as they are
 */
export function bytes({ text = false }: { text?: boolean } = {}): BytesReply {
  return { kind: 'bytes', text }
}
export function nothing(): NothingReply {
  return { kind: 'nothing' }
}

export interface Octets {
  /** The media type that HTTP says of them. Default `text/plain`, whatever they are. */
  readonly type?: string
  /** The length, sent as `X-Content-Length` where given. */
  readonly length?: number | bigint
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Whether the head goes out before the first chunk is there, so that an error in it comes late. Default true. */
  readonly eager?: boolean
}

type MaybePromise<T> = T | Promise<T>

/** The value that `run` of a command with this reply returns. */
export type Returns<R extends Reply> =
  R extends ValueReply<infer S>
    ? MaybePromise<z.input<S>>
    : R extends StreamReply<infer S>
      ? AsyncIterable<z.input<S>> | Promise<AsyncIterable<z.input<S>> | Iterable<z.input<S>>>
      : R extends EitherReply<infer V, infer S>
        ? AsyncIterable<z.input<S>> | MaybePromise<z.input<V>> | Promise<AsyncIterable<z.input<S>>>
        : R extends BytesReply
          ? AsyncIterable<Uint8Array> | MaybePromise<Octets>
          : MaybePromise<void>

/** One item of a reply, as `text` gets it. */
export type Item<R extends Reply> = R extends { schema: infer S extends z.ZodType }
  ? z.input<S>
  : R extends EitherReply<infer V, infer S>
    ? z.input<V> | z.input<S>
    : never

/** The answer of a finished or running call, as hooks and in-process callers see it. A stream is handed on, never collected. */
export type Result = (
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'stream'; readonly items: AsyncIterable<unknown> | Iterable<unknown>; readonly eager?: boolean }
  | {
      readonly kind: 'bytes'
      readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
      readonly length?: number | bigint
      readonly eager: boolean
    }
  | { readonly kind: 'nothing' }
) & {
  /** The status and header fields of the answer over HTTP; a hook may add it. */
  readonly http?: HttpWords
}
