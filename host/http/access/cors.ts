import type { Json } from '../../../core/index.ts'
import type { Fields } from '../fields.ts'

/** The rules for callers from a browser: lists out of `API.HTTPHeaders`, and the listener's port. */
interface OriginSettings {
  readonly origins?: readonly string[]
  readonly methods?: readonly string[]
  readonly credentials?: boolean
  /** The port; undefined for a listener without one. */
  readonly port?: number
}

const EXTENSIONS = ['chrome-extension://nibjojkomfdiaoajekhjakgkdhaomnch', 'chrome-extension://hjoieblefckbooibpepigmacodalfndh']
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
/** Those of rs/cors, and those that answers tell pages they may send (`Access-Control-Allow-Headers`). */
const CORS_HEADERS = new Set([
  ...['Origin', 'Accept', 'Content-Type', 'X-Requested-With'],
  ...['X-Stream-Output', 'X-Chunked-Output', 'X-Content-Length']
])
const NONE: Fields = []

/** Picks the settings out of the node configuration; other headers there are sent as they are. */
export function originSettings(headers: Json | undefined, port: number | undefined, more: readonly string[] = []): OriginSettings {
  const list = (name: string) => {
    const values = (headers as Readonly<Record<string, Json>> | undefined)?.[name]
    return Array.isArray(values) ? values.filter(value => typeof value === 'string') : []
  }
  const methods = list('Access-Control-Allow-Methods')
  return {
    origins: [...list('Access-Control-Allow-Origin'), ...more],
    methods: methods.length > 0 ? methods : ['POST'],
    credentials: list('Access-Control-Allow-Credentials').at(-1)?.toLowerCase() === 'true',
    port
  }
}

/**
 * Origins that may call: the allow list of origins that Kubo 0.28 keeps (core/corehttp/commands.go, go-ipfs-cmds http/config.go), and
 * the CORS headers for it (rs/cors 1.7). The list is compared exactly when a request is let in, but without regard to case and with one
 * `*` inside an origin when headers are made.
 */
export class OriginRules {
  readonly #list: ReadonlySet<string>
  readonly #any: boolean
  readonly #lower: ReadonlySet<string>
  readonly #wildcards: ReadonlyArray<readonly [start: string, end: string]>
  readonly #methods: readonly string[]
  readonly #credentials: boolean

  constructor({ origins = [], methods = ['POST'], credentials = false, port }: OriginSettings) {
    const loopbackOrigins = LOOPBACK.flatMap(host => [`http://${host}:<port>`, `https://${host}:<port>`])
    const named = [...origins, ...loopbackOrigins, ...EXTENSIONS].map(origin =>
      port === undefined ? origin : origin.replace('<port>', String(port))
    )
    const lower = named.map(origin => origin.toLowerCase())
    this.#list = new Set(named)
    this.#any = this.#list.has('*')
    this.#lower = new Set(lower.filter(origin => !origin.includes('*')))
    this.#wildcards = lower.filter(origin => origin.includes('*')).map(origin => splitAt(origin, origin.indexOf('*')))
    this.#methods = methods.map(method => method.toUpperCase())
    this.#credentials = credentials
  }

  /** Whether a request with these headers is let in. */
  letsIn({ origin, referer, userAgent }: { origin?: string; referer?: string; userAgent?: string }): boolean {
    if (origin && !this.names(origin)) return false
    if (referer) {
      const from = originOf(referer)
      if (from === undefined || !this.names(from)) return false
    }
    return Boolean(origin || referer) || userAgent === undefined || !userAgent.startsWith('Mozilla') || userAgent.includes('Electron')
  }

  /** Whether pages of every site may call. */
  get any(): boolean {
    return this.#any
  }

  /** Whether the list names this origin. */
  names(origin: string): boolean {
    return this.#any || this.#list.has(origin)
  }

  /** The CORS fields of an answer to a request that is no preflight, besides `Vary: Origin`. */
  cors(origin: string | undefined, method: string): Fields {
    if (!origin || !this.#allowed(origin) || !this.#method(method)) return NONE
    return this.#credentials ? [this.#echo(origin), ALLOW_CREDENTIALS] : [this.#echo(origin)]
  }

  /** The fields of the answer to a preflight, besides its three `Vary`. */
  preflight(origin: string | undefined, method: string, headers: string | undefined): Fields {
    const wanted = headerList(headers ?? '')
    if (!origin || !this.#allowed(origin) || !this.#method(method) || !wanted.every(name => CORS_HEADERS.has(name))) return NONE
    const fields: Array<readonly [string, string]> = [this.#echo(origin), ['Access-Control-Allow-Methods', method.toUpperCase()]]
    if (wanted.length > 0) fields.push(['Access-Control-Allow-Headers', wanted.join(', ')])
    if (this.#credentials) fields.push(ALLOW_CREDENTIALS)
    return fields
  }

  #allowed(origin: string): boolean {
    if (this.#any) return true
    const lower = origin.toLowerCase()
    if (this.#lower.has(lower)) return true
    return this.#wildcards.some(
      ([start, end]) => lower.length >= start.length + end.length && lower.startsWith(start) && lower.endsWith(end)
    )
  }

  #method(method: string): boolean {
    const upper = method.toUpperCase()
    return upper === 'OPTIONS' || this.#methods.includes(upper)
  }

  #echo(origin: string): readonly [string, string] {
    return ['Access-Control-Allow-Origin', this.#any ? '*' : origin]
  }
}

const ALLOW_CREDENTIALS = ['Access-Control-Allow-Credentials', 'true'] as const

function splitAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Scheme and host of a URL as Go's `url.Parse` finds them; undefined where that fails. */
export function originOf(url: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\x00-\x1f\x7f]/.test(url)) return undefined
  const [whole] = url.split('#', 1)
  const [, scheme = '', afterScheme = ''] = /^(?:([a-z][a-z0-9+.-]*):)?(.*)$/is.exec(whole!)!
  const [hierarchy] = afterScheme.split('?', 1)
  if (/%(?![0-9a-f]{2})/i.test(hierarchy!) || whole!.startsWith(':')) return undefined
  const authority = /^\/\/([^/]*)/.exec(hierarchy!)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host.startsWith('[') !== host.includes(']')) return undefined
  return `${scheme.toLowerCase()}://${host}`
}

/** Names of a comma separated list, each in its canonical form: `content-type` → `Content-Type`. */
function headerList(text: string): string[] {
  const names = text.split(/[ ,]+/).map(name => name.replace(/[^a-z0-9_-]/gi, ''))
  return names.filter(name => name !== '').map(canonical)
}

/** `x-my-header` → `X-My-Header`. */
export function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|[-_])[a-z]/g, found => found.toUpperCase())
}
