import { createHmac, randomBytes } from 'node:crypto'
import { Attempts, type Audit, Buckets, Proxies, type SecretUses, whoIs } from '../../../core/callers/index.ts'
import type { Caller } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import type { PinningServiceSettings } from '../settings.ts'
import type { ServiceTokens } from '../tokens/tokens.ts'

interface AdmissionParts {
  readonly tokens: ServiceTokens
  readonly uses: Pick<SecretUses, 'note'>
  readonly settings: Pick<PinningServiceSettings, 'limits' | 'trustedProxies'>
  readonly audit: Audit
}

/** The admission of callers: with a token, and not too often. Guessing is slowed by address, and each refusal is a line of the log. */
export class Admission {
  readonly #parts: AdmissionParts
  readonly #attempts = new Attempts(() => performance.now())
  readonly #buckets: Buckets
  readonly #proxies: Proxies
  readonly #key = randomBytes(32)

  constructor(parts: AdmissionParts) {
    const { limits, trustedProxies } = parts.settings
    this.#parts = parts
    this.#buckets = new Buckets({ perSecond: limits.perSecond, burst: limits.burst, callers: limits.tokens })
    this.#proxies = new Proxies(trustedProxies)
  }

  /** @returns the name of the token @throws E_PINNING_TOKEN, E_PINNING_GUESSED, E_PINNING_RATE */
  enter(authorization: string | undefined, path: string, caller: Caller): string {
    const { tokens, uses, settings } = this.#parts
    const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    const from = whoIs(caller, this.#proxies)
    const refuse = (why: string, error: Error, name?: string): never => {
      this.#parts.audit.refused({ path, address: from?.replace(/^address /, ''), name, why })
      throw error
    }
    const digest = secret === '' ? '' : createHmac('sha256', this.#key).update(secret).digest('base64')
    if (digest !== '' && this.#attempts.isSlowed(from, digest)) refuse('too many wrong tokens', pinningServiceErrors.E_PINNING_GUESSED())
    const name = tokens.nameOf(secret)
    if (digest !== '') this.#attempts.note(from, digest, name !== undefined)
    if (name === undefined) return refuse(secret === '' ? 'no token' : 'no known token', pinningServiceErrors.E_PINNING_TOKEN())
    const { perSecond } = settings.limits
    const wait = this.#buckets.take(name)
    if (wait > 0) refuse('too many requests', pinningServiceErrors.E_PINNING_RATE(Math.ceil(wait), perSecond), name)
    uses.note(name)
    return name
  }
}
