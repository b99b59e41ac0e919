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
const INNER = 'inner '

/** Makes the token of the service `name`; a third party's names should start with its package's name. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(PREFIX + name) as Token<T>
}

/**
 * The service that a plugin wraps and provides anew, as a need of what it makes. The configuration says what lies inside:
 * `services: { blockstore: [acme-compress, storage-rocksdb] }`, the outermost first.
 *
 * ```ts
 * service(Blockstore, { needs: { store: inner(Blockstore) }, make: ({ store }) => new CompressedBlockstore(store) })
 * ```
 */
export function inner<T>(of: Token<T>): Token<T> {
  return token<T>(INNER + tokenName(of))
}

/** The name of the service that a token of {@link inner} means; undefined for other tokens. */
export function innerName(of: symbol): string | undefined {
  const name = tokenName(of)
  return name.startsWith(INNER) ? name.slice(INNER.length) : undefined
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
