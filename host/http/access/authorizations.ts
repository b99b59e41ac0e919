import { createHash, createHmac, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Attempts, type Audit, networkOf } from '../../../core/callers/index.ts'
import { cleanPath } from '../../../core/go/path.ts'
import { percentDecoded } from '../../../core/go/query.ts'
import { fromByteString } from '../../../core/go/utf8.ts'
import { type Authorization, type Json, messageOf, type Repo } from '../../../core/index.ts'
import { EntryAuthorization } from './entry-authorization.ts'
import { type GrantEntry, grantEntries, type PathGrant } from './grants.ts'
import { authorizationHeader } from './secret.ts'

const DENIED = 'Kubo RPC Access Denied: Please provide a valid authorization token as defined in the API.Authorizations configuration.\n'

const NO_TOKEN = '401 - Unauthorized: this node asks for a token, as `holdfast token new` makes them\n'

/** How long requests run on whose authorization has ended, in milliseconds: the call that takes it away gets its own answer. */
const GRACE_MS = 1000

const ALWAYS = '/api/v0/version'

/** The text for a caller who is not let in, and its status over the RPC. */
export interface Refusal {
  readonly status: 401 | 403 | 429
  readonly text: string
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
}

interface AuthorizationOptions {
  /** The entries as they are now: what changes counts from the next request on. Default: those at first. */
  current?(): Json | undefined
  /** Gets a line for each request that is turned away. */
  readonly audit?: Audit | undefined
  /** Milliseconds since the epoch. */
  now?(): number
}

/** The grants of callers, as `API.Authorizations` says (Kubo 0.28, core/corehttp/commands.go), and tokens of which it has only the hash. */
export class Authorizations {
  /** Grants by the digest of the header that proves the secret: how long a look takes tells nothing of how much of a guess is right. */
  #grants: ReadonlyMap<string, GrantEntry> = new Map()
  /** Whether Kubo knows all of the entries, so that its answer is the one to give. */
  #isKubo = false
  #read: Json | undefined
  readonly #behind = new WeakMap<PathGrant, EntryAuthorization>()
  /** What has ended, since when, until those who act by it are told. */
  readonly #ended = new Map<EntryAuthorization, number>()
  readonly #key = randomBytes(32)
  readonly #options: AuthorizationOptions
  readonly #attempts: Attempts

  /**
   * @returns undefined where nothing is configured: then everybody may do everything
   * @throws E_RPC_GRANT_KEY, E_RPC_GRANT_ACCESS, E_RPC_GRANT_VALUE
   */
  static of(configured: Json | undefined, options: AuthorizationOptions = {}): Authorizations | undefined {
    if (typeof configured !== 'object' || configured === null || Object.keys(configured).length === 0) return undefined
    return new Authorizations(configured, options)
  }

  private constructor(configured: Json, options: AuthorizationOptions) {
    this.#options = options
    this.#attempts = new Attempts(() => this.#now())
    this.#take(configured)
  }

  /**
   * The decision about a request for the path of a command. Wrong secrets count against its address: after many of them, others from there
   * are looked at one a second.
   *
   * @param path - of a command, decoded
   */
  admit(header: string | undefined, path: string, address: string | undefined): PathGrant | Refusal {
    return this.#admit(header, address, path, grant => path === ALWAYS || opensPath(grant, path))
  }

  /**
   * The same for a path below which a handler may go on reading, in whichever way it reads it: as it was sent, and decoded and without
   * `..`, the path has to be one that the secret opens.
   *
   * @param path - still percent-encoded
   */
  admitRoute(header: string | undefined, path: string, address: string | undefined): PathGrant | Refusal {
    const clean = cleanPath(decodedPath(path))
    const opens = (grant: PathGrant) => [path, clean].every(one => one === ALWAYS || opensPath(grant, one))
    return this.#admit(header, address, path, opens)
  }

  /** The same for what is for whoever has any secret. */
  admitAny(header: string | undefined, path: string, address: string | undefined): PathGrant | Refusal {
    return this.#admit(header, address, path, () => true)
  }

  #admit(header: string | undefined, address: string | undefined, path: string, opens: (grant: PathGrant) => boolean): PathGrant | Refusal {
    const secret = header === undefined ? '' : this.#digest(header)
    const from = address === undefined ? undefined : networkOf(address)
    if (secret !== '' && this.#attempts.isSlowed(from, secret)) return this.#refuse('too many wrong secrets', SLOWED, path, address)
    const grant = this.known(header)
    if (secret !== '') this.#attempts.note(from, secret, grant !== undefined)
    if (grant !== undefined && opens(grant)) return grant
    if (grant !== undefined) return this.#refuse('the secret does not open the path', FORBIDDEN, path, address, grant.name)
    const refusal = this.#isKubo ? FORBIDDEN : UNAUTHORIZED
    return this.#refuse(header === undefined ? 'no secret' : 'no known secret', refusal, path, address)
  }

  #refuse(why: string, refusal: Refusal, path: string, address: string | undefined, name?: string): Refusal {
    this.#options.audit?.refused({ path, address, name, why })
    return refusal
  }

  /** @returns the grant whose secret this caller has, whatever it opens; none once it has expired */
  known(header: string | undefined): PathGrant | undefined {
    this.#refresh()
    if (header === undefined) return undefined
    const found = this.#grants.get(this.#digest(header)) ?? this.#grants.get(this.#digest(provedBy(`sha256:${hashOf(header)}`)))
    return found === undefined || found.expires <= this.#now() ? undefined : found.grant
  }

  /** @param grant - as {@link known} returns it */
  behind(grant: PathGrant): Authorization | undefined {
    return this.#behind.get(grant)
  }

  /** Tells those who act by an authorization that it has ended. Called every second or so while requests are served. */
  look(): void {
    const now = this.#now()
    this.#refresh()
    for (const { grant, expires } of this.#grants.values()) if (expires <= now) this.#end(grant, expires)
    for (const [authorization, since] of this.#ended) {
      if (since + GRACE_MS > now) continue
      this.#ended.delete(authorization)
      authorization.end()
    }
  }

  #end(grant: PathGrant, since: number): void {
    const authorization = this.#behind.get(grant)!
    if (!authorization.ended.aborted) this.#ended.set(authorization, since)
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now()
  }

  /** Takes in what has changed. What cannot be read changes nothing, and without any entry nobody is let in. */
  #refresh(): void {
    const { current, audit } = this.#options
    if (current === undefined) return
    const configured = current()
    if (configured === this.#read) return
    try {
      this.#take(configured)
    } catch (error) {
      this.#read = configured
      audit?.failed(messageOf(error), 'the authorizations stay as they were')
    }
  }

  #take(configured: Json | undefined): void {
    const entries = grantEntries(configured)
    const grants = new Map<string, GrantEntry>()
    for (const entry of entries) {
      const { hash, secret } = entry
      const header = hash !== undefined ? provedBy(hash) : secret === undefined ? undefined : authorizationHeader(secret)
      // the bytes of a header are told as latin1
      if (header !== undefined) grants.set(this.#digest(Buffer.from(header).toString('latin1')), entry)
    }
    for (const [digest, before] of this.#grants) {
      if (isDeepStrictEqual(before, grants.get(digest))) grants.set(digest, before)
      else this.#end(before.grant, this.#now())
    }
    for (const { grant } of grants.values()) if (!this.#behind.has(grant)) this.#behind.set(grant, new EntryAuthorization())
    this.#grants = grants
    this.#isKubo = entries.some(({ hash }) => hash === undefined)
    this.#read = configured
  }

  #digest(header: string): string {
    return createHmac('sha256', this.#key).update(Buffer.from(header, 'latin1')).digest('base64')
  }
}

/** The authorizations of a node, as its configuration has them at each request; undefined where it had none at first. */
export function authorizationsOf(repo: Pick<Repo, 'get'> | undefined, audit: Audit): Authorizations | undefined {
  const current = () => repo?.get<Json>('API.Authorizations')
  return Authorizations.of(current(), { current, audit })
}

const FORBIDDEN: Refusal = { status: 403, text: DENIED, fields: [] }
const UNAUTHORIZED: Refusal = { status: 401, text: NO_TOKEN, fields: [['WWW-Authenticate', 'Bearer']] }
const SLOWED: Refusal = {
  status: 429,
  text: '429 - Too Many Requests: too many wrong secrets came from this address\n',
  fields: [['Retry-After', '1']]
}

/** A refusal with status 403 and nothing but a text, or one with words of its own. */
export type Refused = string | Refusal

/** Whether a caller was turned away. */
export function isRefusal(verdict: PathGrant | Refusal): verdict is Refusal {
  return 'status' in verdict
}

function opensPath({ paths }: PathGrant, path: string): boolean {
  return paths === undefined || paths.some(prefix => path.startsWith(prefix))
}

/** The mark that stands for a hash in the place of a header. No header has a NUL in it, so no caller proves a token by its hash. */
function provedBy(hash: string): string {
  return `\0${hash}`
}

/** The hash of a bearer's token, in hexadecimal; of any other header one that no entry has. */
function hashOf(header: string): string {
  const token = header.startsWith('Bearer ') ? header.slice('Bearer '.length) : ''
  return token === '' ? 'none' : createHash('sha256').update(Buffer.from(token, 'latin1')).digest('hex')
}

/** A path without its percent-encoding; a broken escape stays as it is. */
export function decodedPath(path: string): string {
  return path.includes('%') ? fromByteString(percentDecoded(path)) : path
}
