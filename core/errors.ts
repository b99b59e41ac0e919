/**
 * Every error the node answers is declared once, in a list: a stable code, and how its message is made from the actor and the thing. The
 * lists of the core stand beside their subjects (`core/cid/errors.ts`), those that several subjects share in `core/errors/`; a plugin declares
 * its own with {@link defineErrors} and names it in `plugin({ errors })`. A retired code is never used again.
 */

import type { HttpError } from './contract/http.ts'

/** The numbers a caller finds in an error body's `Code`. */
export const wireCodes = { normal: 0, client: 1, implementation: 2, rateLimited: 3, forbidden: 4 } as const

export type WireCode = keyof typeof wireCodes

/** The HTTP statuses of errors that say nothing else. */
const STATUSES: Readonly<Record<WireCode, number>> = { normal: 500, client: 400, implementation: 500, rateLimited: 429, forbidden: 403 }

/** Seconds after which to try again, where an error that limits a rate says nothing else. */
const RETRY_AFTER = '1'

export interface ErrorDeclaration<P extends readonly unknown[] = readonly never[]> {
  /** The text for the caller. Where the reference has a text for this, it is that text to the letter. */
  message(...about: P): string
  /** Default `normal`. */
  wire?: WireCode
  /** The status and header fields over HTTP. Default: the status that `wire` has, and `Retry-After: 1` for `rateLimited`. */
  http?(...about: P): HttpError
}

export type ErrorList = Readonly<Record<`E_${string}`, ErrorDeclaration<readonly never[]>>>

/** An error that a caller is meant to see, with the stable code it is declared under. */
export class NodeError extends Error {
  readonly code: string
  readonly wire: WireCode
  /** The status and header fields over HTTP, where they are not those of its `wire`. */
  readonly http: HttpError | undefined

  constructor(code: string, message: string, wire: WireCode = 'normal', options?: ErrorOptions & { readonly http?: HttpError }) {
    super(message, options)
    this.code = code
    this.wire = wire
    this.http = options?.http
  }

  /** The HTTP status this error has when nothing was sent yet. */
  get status(): number {
    return httpOf(this).status
  }

  /** The same error with text put before its message, as the reference does when it wraps one. */
  prefixed(text: string): NodeError {
    return new NodeError(this.code, text + this.message, this.wire, { cause: this, http: this.http })
  }
}

/** The status and header fields of an error over HTTP; of one that nobody declared, status 500. Works across two copies of this package. */
export function httpOf(error: unknown): HttpError & { readonly status: number } {
  const { wire = 'normal', http } = (error ?? {}) as Partial<NodeError>
  const hasRetryAfter = Object.keys(http?.headers ?? {}).some(name => name.toLowerCase() === 'retry-after')
  const headers = wire === 'rateLimited' && !hasRetryAfter ? { ...http?.headers, 'Retry-After': RETRY_AFTER } : http?.headers
  return { ...http, status: http?.status ?? STATUSES[wire] ?? STATUSES.normal, headers }
}

export type ErrorFactories<L extends ErrorList> = {
  readonly [C in keyof L]: L[C] extends { message(...about: infer P): string } ? (...about: P) => NodeError : never
}

/**
 * Turns a list of declarations into one factory per code.
 *
 * ```ts
 * export const pinErrors = defineErrors({
 *   E_PIN_RECURSIVE: { message: (cid: string) => `${cid} is pinned recursively` }
 * })
 * throw pinErrors.E_PIN_RECURSIVE('Qm…')
 * ```
 */
export function defineErrors<const L extends ErrorList>(list: L): ErrorFactories<L> {
  const factories: Record<string, unknown> = {}
  for (const [code, { message, wire, http }] of Object.entries(list) as Array<[string, ErrorDeclaration<unknown[]>]>) {
    factories[code] = (...about: unknown[]) => new NodeError(code, message(...about), wire, http && { http: http(...about) })
  }
  return factories as ErrorFactories<L>
}

/** Whether `error` is one declared under `code`. Works across two copies of this package. */
export function hasCode(error: unknown, code: string): error is NodeError {
  return error instanceof Error && (error as { code?: unknown }).code === code
}

/** The message of whatever was thrown; never throws, though a value may have no text and an accessor may throw. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'what was thrown has no text'
  }
}

/** How many errors of a chain of causes are read: it may be endless, or a ring. */
export const MOST_CAUSES = 32

/** An error and its causes, the outermost first, as far as they can be read; never throws. Empty for what is no error. */
export function withCauses(error: unknown): readonly Error[] {
  const chain: Error[] = []
  try {
    for (let at = error; at instanceof Error && chain.length < MOST_CAUSES; at = at.cause) chain.push(at)
  } catch {
    // what lies behind it cannot be read
  }
  return chain
}

/** The stack of whatever was thrown; never throws. Empty where there is none. */
export function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack ?? '') : ''
  } catch {
    return ''
  }
}

/** What was thrown, or an error in its stead where it cannot be read: a proxy that was revoked, an accessor that throws. */
export function readable(thrown: unknown): unknown {
  try {
    if (thrown instanceof Error) for (const key of ['code', 'message', 'wire', 'http']) Reflect.get(thrown, key)
    else if (typeof thrown === 'object' && thrown !== null) Reflect.get(thrown, 'code')
    return thrown
  } catch {
    return new Error('what was thrown cannot be read')
  }
}

/** Wraps what was thrown so that its message starts with `text`, keeping its code. */
export function prefixed(text: string, error: unknown): NodeError {
  const of = error as Partial<NodeError>
  const code = typeof of?.code === 'string' ? of.code : 'E_UNEXPECTED'
  return new NodeError(code, text + messageOf(error), of?.wire, { cause: error, http: of?.http })
}
