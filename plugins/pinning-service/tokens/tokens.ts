import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { hashOfSecret, newSecret } from '../../../core/callers/index.ts'
import { type Datastore, Key, messageOf, type Startable, type Token, token } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import type { PinningServiceLimits } from '../settings.ts'

const PREFIX = '/pinning-service/tokens/'

const kept = z.object({ name: z.string(), hash: z.string(), created: z.string(), expires: z.string().optional() })

/** A token as it is kept: of its secret there is the hash alone. */
type KeptToken = z.output<typeof kept>

interface TokensParts {
  readonly datastore: Datastore
  readonly limits: Pick<PinningServiceLimits, 'tokens'>
}

/** The tokens of the service's clients. Each name has requests of its own; a new token of a name has those of the one before. */
export class ServiceTokens implements Startable {
  readonly #parts: TokensParts
  readonly #names = new Map<string, KeptToken>()
  /** Tokens by a keyed digest of their hash: how long a look takes tells nothing of how much of a guess is right. */
  readonly #digests = new Map<string, KeptToken>()
  readonly #key = randomBytes(32)
  /** Names that are being written. */
  readonly #making = new Set<string>()

  constructor(parts: TokensParts) {
    this.#parts = parts
  }

  /** @throws E_PINNING_RECORD */
  async start(): Promise<void> {
    for await (const { key, value } of this.#parts.datastore.query({ prefix: PREFIX })) this.#take(readToken(key, value))
  }

  /** The tokens, sorted by name. */
  list(): readonly KeptToken[] {
    return [...this.#names.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** The name of the token that a bearer has; undefined where it is unknown, or has expired. */
  nameOf(secret: string, now = Date.now()): string | undefined {
    const found = this.#digests.get(this.#digest(hashOfSecret(secret)))
    return found === undefined || (found.expires !== undefined && Date.parse(found.expires) <= now) ? undefined : found.name
  }

  /**
   * @param expires - in milliseconds since the epoch
   * @returns the secret, which nobody can be told again
   * @throws E_PINNING_TOKEN_NAME, E_PINNING_TOKEN_EXISTS, E_PINNING_TOKENS_MOST
   */
  async make(name: string, expires?: number): Promise<{ readonly secret: string; readonly kept: KeptToken }> {
    const { datastore, limits } = this.#parts
    if (name === '' || name.length > 128) throw pinningServiceErrors.E_PINNING_TOKEN_NAME()
    if (this.#names.has(name) || this.#making.has(name)) throw pinningServiceErrors.E_PINNING_TOKEN_EXISTS(name)
    if (this.#names.size + this.#making.size >= limits.tokens) throw pinningServiceErrors.E_PINNING_TOKENS_MOST(limits.tokens)
    const secret = newSecret()
    const end = expires === undefined ? {} : { expires: new Date(expires).toISOString() }
    const made = { name, hash: hashOfSecret(secret), created: new Date().toISOString(), ...end }
    this.#making.add(name)
    try {
      await datastore.put(keyOf(name), Buffer.from(JSON.stringify(made)))
      await datastore.sync?.()
      this.#take(made)
    } finally {
      this.#making.delete(name)
    }
    return { secret, kept: made }
  }

  /** It lets nobody in from the next request on. @throws E_PINNING_TOKEN_ABSENT */
  async remove(name: string): Promise<void> {
    const { datastore } = this.#parts
    const found = this.#names.get(name)
    if (found === undefined) throw pinningServiceErrors.E_PINNING_TOKEN_ABSENT(name)
    this.#digests.delete(this.#digest(found.hash))
    await datastore.delete(keyOf(name))
    await datastore.sync?.()
    // until then it may still be there at the next start, and can be removed once more
    this.#names.delete(name)
  }

  #take(made: KeptToken): void {
    this.#names.set(made.name, made)
    this.#digests.set(this.#digest(made.hash), made)
  }

  #digest(hash: string): string {
    return createHmac('sha256', this.#key).update(hash).digest('base64')
  }
}

export const ServiceTokensToken: Token<ServiceTokens> = token<ServiceTokens>('pinning-service-tokens')

function readToken(key: Key, value: Uint8Array): KeptToken {
  try {
    return kept.parse(JSON.parse(Buffer.from(value).toString()))
  } catch (error) {
    throw pinningServiceErrors.E_PINNING_RECORD(key.toString(), messageOf(error))
  }
}

function keyOf(name: string): Key {
  return new Key(PREFIX + Buffer.from(name).toString('base64url'), false)
}
