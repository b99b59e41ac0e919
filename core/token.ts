declare const carried: unique symbol

/**
 * Names a service. `token<Pins>('pins')` is `Symbol.for('holdfast.pins')` with a phantom type, so that two copies of this
 * package in one process mean the same service. By convention a token and the interface it stands for share a name.
 */
export type Token<T> = symbol & { readonly [carried]: (service: T) => T }

/** A service that may be absent: a command gets `undefined` for it and says what it answers then. */
export interface Optional<T> {
  readonly token: Token<T>
  readonly optional: true
}

// biome-ignore lint/suspicious/noExplicitAny: a phantom type is invariant, so a list of needs has to accept any
type Some = any

export type Need = Token<Some> | Optional<Some>
export type Needs = Readonly<Record<string, Need>>

export type Service<N> = N extends Optional<infer T> ? T | undefined : N extends Token<infer T> ? T : never

/** The services of a declaration's `needs`, under the names it gave them. */
export type Services<N extends Needs> = { readonly [K in keyof N]: Service<N[K]> }

const PREFIX = 'holdfast.'

/** Makes the token of the service `name`; a third party's names should start with its package's name. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(PREFIX + name) as Token<T>
}

/** Marks a need as one that the host may leave unmet. */
export function optional<T>(of: Token<T>): Optional<T> {
  return { token: of, optional: true }
}

/** The service name of a token, e.g. `pins`. */
export function tokenName(of: symbol): string {
  const key = Symbol.keyFor(of) ?? of.description ?? String(of)
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key
}

export function isOptional(need: Need): need is Optional<unknown> {
  return typeof need === 'object'
}

export function tokenOf(need: Need): Token<unknown> {
  return isOptional(need) ? need.token : need
}
