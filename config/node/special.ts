import { isIPv4, isIPv6 } from 'node:net'
import { hashByName, isSecureHash } from '../../core/cid/hashes.ts'
import { parseBytes } from '../../core/go/bytes.ts'
import { formatDuration, parseDuration } from '../../core/go/duration.ts'
import { goQuote } from '../../core/go/quote.ts'
import { type Json, messageOf } from '../../core/index.ts'
import { parsePeerId } from '../../core/keys/index.ts'
import { MOST_IN_CHUNK, parseChunker } from '../../core/unixfs/chunker/spec.ts'
import { isFanout, LEAST_FANOUT, MAX_FANOUT } from '../../core/unixfs/export/hamt.ts'
import { FILE_LINKS } from '../../core/unixfs/import/layout.ts'
import { decode } from './decode.ts'
import { isObject, shortJson } from './objects.ts'
import { any, bool, field, int, list, map, optional, Refusal, type Scalar, type StructType, string, strings, struct } from './types.ts'

const scalar = (zero: Json, allowed: string, read: Scalar['read']): Scalar => ({ kind: 'scalar', zero, allowed, read })

/** A duration in Go's notation, written back in its shortest form; null, "" and "default" are "the default". */
export const optionalDuration = scalar(null, 'a duration such as "1m30s" (units: ns, us, ms, s, m, h), "default" or null', value => {
  if (value === null || value === '' || value === 'default' || value === 'null') return null
  return duration(typeof value === 'string' ? value : JSON.stringify(value))
})

/** The same where what says nothing is written as `0s`. */
export const throttleInterval = scalar(
  '0s',
  'a duration such as "1m30s" (units: ns, us, ms, s, m, h)',
  value => optionalDuration.read(value) ?? '0s'
)

/** A number of bytes, as a number or in words, written back as a string. */
export const optionalBytes = scalar(null, 'a size such as "256KiB", or null (the default)', value => {
  if (value === null) return null
  if (typeof value !== 'number' && typeof value !== 'string') return new Refusal('string')
  const text = typeof value === 'number' ? String(Math.round(value)) : value
  try {
    parseBytes(text)
    return text
  } catch (error) {
    return new Refusal('', messageOf(error))
  }
})

/** A value that fails nothing but what uses it, much later: it is refused where it is set, and at the start. Null is the default. */
const checked = (allowed: string, check: (value: Json) => string | undefined) =>
  scalar(null, `${allowed}, or null (the default)`, value => {
    if (value === null) return null
    const problem = check(value)
    return problem === undefined ? value : new Refusal('', key => `${key} is ${shortJson(value)}: ${problem}; allowed: ${allowed}`)
  })

const NO_TEXT = 'it is no string'

function problemOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** The size of a directory from which on it is sharded; "" is the default, too. */
export const shardingSize = checked('a size such as "256KiB"', value => {
  if (typeof value !== 'string') return NO_TEXT
  return value === '' ? undefined : problemOf(() => parseBytes(value))
})

const integerFrom = (least: number, most: number) =>
  checked(`an integer from ${least} to ${most}`, value =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most ? undefined : 'it is not'
  )

const oneOf = (...words: readonly string[]) =>
  checked(words.map(word => JSON.stringify(word)).join(', '), value => (words.includes(String(value)) ? undefined : 'it is none of these'))

/** The defaults of `add` (Kubo 0.42, config/import.go). */
export const importTypes = {
  cidVersion: integerFrom(0, 1),
  chunker: checked('"size-N", "rabin-MIN-AVG-MAX" or "buzhash"', value =>
    typeof value === 'string' ? problemOf(() => parseChunker(value, MOST_IN_CHUNK)) : NO_TEXT
  ),
  hash: checked('a hash function such as "sha2-256"', value => {
    const code = typeof value === 'string' ? hashByName(value.toLowerCase()) : undefined
    return code === undefined ? 'it is unknown' : isSecureHash(code) ? undefined : 'it is insecure'
  }),
  fileLinks: integerFrom(FILE_LINKS.least, FILE_LINKS.most),
  directoryLinks: integerFrom(0, Number.MAX_SAFE_INTEGER),
  fanout: checked(`a power of 2 from ${LEAST_FANOUT} to ${MAX_FANOUT}`, value => (isFanout(Number(value)) ? undefined : 'it is not')),
  sizeEstimation: oneOf('links', 'block', 'disabled'),
  layout: oneOf('balanced', 'trickle')
}

/** A number of entries; 0 is the default. */
export const count = scalar(0, 'an integer of 0 or more', value =>
  value === null
    ? 0
    : !Number.isInteger(value)
      ? int.read(value)
      : Number(value) >= 0
        ? value
        : new Refusal('', key => `${key} is ${value}, which is less than nothing`)
)

/** A duration that has no default state; a number counts nanoseconds. */
const plainDuration = scalar('0s', 'a duration such as "1m30s" (units: ns, us, ms, s, m, h)', value => {
  if (typeof value === 'number') return formatDuration(BigInt(Math.trunc(value)))
  if (typeof value === 'string') return duration(value)
  const found =
    value === null ? '<nil>' : typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  return new Refusal('', `unable to parse duration, expected a duration string or a float, but got ${found}`)
})

function duration(text: string): Json | Refusal {
  try {
    return formatDuration(parseDuration(text))
  } catch (error) {
    return new Refusal('', messageOf(error))
  }
}

/** A text that has to be a peer ID, or a multiaddr, in the words of whoever reads it. */
const readable = (allowed: string, read: (text: string) => unknown) =>
  scalar('', allowed, value => {
    if (value === null) return ''
    if (typeof value !== 'string') return new Refusal('string')
    try {
      read(value)
      return value
    } catch (error) {
      return new Refusal('', messageOf(error))
    }
  })

export const peerId = readable('a peer ID such as 12D3KooW…', parsePeerId)
/** Its parts are read where it is dialled. */
export const multiaddr = readable('a multiaddr such as /ip4/192.0.2.1/tcp/4001', text => {
  if (!text.startsWith('/')) throw new Error(`failed to parse multiaddr ${goQuote(text)}: must begin with /`)
})

const HTTP_LISTENER = /^\/(ip4|ip6|dns|dns4|dns6|dnsaddr)\/([^/]+)\/tcp\/(\d{1,5})(?:\/http)*\/?$/

function listensForHttp(text: string): boolean {
  if (text.startsWith('/unix/')) return text.length > '/unix/'.length
  const [, protocol, host = '', port] = HTTP_LISTENER.exec(text) ?? []
  if (protocol === undefined || Number(port) > 65_535) return false
  return protocol === 'ip4' ? isIPv4(host) : protocol === 'ip6' ? isIPv6(host) : true
}

/** Where the RPC or the gateway opens: one address, several, or none. */
export const httpListeners = scalar(
  null,
  'an address such as "/ip4/127.0.0.1/tcp/5001" or "/unix/run/holdfast.sock", a list of them, or null',
  value => {
    const all = strings.read(value)
    if (all === null || all instanceof Refusal) return all
    const odd = [all].flat().find(text => text !== '' && !listensForHttp(String(text)))
    return odd === undefined
      ? all
      : new Refusal(
          '',
          key => `${key} is ${shortJson(odd)}: it is no TCP or Unix address; allowed: /ip4/127.0.0.1/tcp/5001, /unix/run/holdfast.sock`,
          odd
        )
  }
)

/** Who is asked for the TXT records of a domain; "" leaves out one that is asked by default, "auto" is what newer versions of the reference write for that. */
const dnsResolver = scalar('', 'the URL of a DNS-over-HTTPS server, "auto" or ""', value => {
  const text = string.read(value)
  if (typeof text !== 'string' || text === '' || text === 'auto' || (text.startsWith('https://') && URL.canParse(text))) return text
  return new Refusal(
    '',
    key => `${key} is ${shortJson(text)}: it is no https:// URL; allowed: the URL of a DNS-over-HTTPS server, "auto" or ""`
  )
})

export const dnsResolvers = map('map[string]string', dnsResolver, {
  allowed: 'a key that ends in a dot, such as "eth."',
  fits: domain => domain.endsWith('.')
})

export const autoNatMode = scalar('', '"enabled", "disabled" or "" (the default)', value => {
  if (value === null) return ''
  if (typeof value !== 'string') return new Refusal('*config.AutoNATServiceMode')
  return ['', 'enabled', 'disabled'].includes(value) ? value : new Refusal('', `unknown autonat mode: ${value}`)
})

const composed = struct('ComposableRouterParams', [
  field(
    'Routers',
    list(
      'config.ConfigRouter',
      struct('ConfigRouter', [
        field('RouterName', string),
        field('Timeout', plainDuration),
        field('IgnoreErrors', bool),
        optional('ExecuteAfter', optionalDuration)
      ])
    )
  ),
  optional('Timeout', optionalDuration)
])

/** What a router of a type takes; of another type, anything (Kubo 0.28, config/routing.go). */
const ROUTER_PARAMETERS: Readonly<Record<string, StructType>> = {
  http: struct('HTTPRouterParams', [field('Endpoint', string), field('MaxProvideBatchSize', int), field('MaxProvideConcurrency', int)]),
  dht: struct('DHTRouterParams', [field('Mode', string), optional('AcceleratedDHTClient', bool, false), field('PublicIPNetwork', bool)]),
  sequential: composed,
  parallel: composed
}

const routerOfAnyType = struct('Router', [field('Type', string), field('Parameters', any)])

/** A router, whose type says what its parameters are. */
export const router = scalar(null, 'an object with a Type and the Parameters of that type', value => {
  if (value !== null && !isObject(value)) return new Refusal('config.Router')
  const outer = decode(routerOfAnyType, value ?? {})
  if ('misfit' in outer) return new Refusal('', outer.misfit.text)
  const { Type, Parameters } = outer.typed as { readonly Type: string; readonly Parameters: Json }
  // as one that is not there
  if (Parameters === null) return new Refusal('', 'unexpected end of JSON input')
  const schema = Object.hasOwn(ROUTER_PARAMETERS, Type) ? ROUTER_PARAMETERS[Type] : undefined
  if (schema === undefined) return { Type, Parameters }
  if (!isObject(Parameters)) return new Refusal(schema.go, undefined, Parameters)
  const inner = decode(schema, Parameters)
  return 'misfit' in inner ? new Refusal('', inner.misfit.text) : { Type, Parameters: inner.typed }
})

/** A key that is gone: its empty forms are tolerated and dropped, anything else is refused, so that no wish goes unheard. */
export const removed = (key: string, instead: string) =>
  scalar(null, `nothing: the key is gone; ${instead}`, value => {
    const empty = value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)
    return empty ? null : new Refusal('', `${key} was removed and must be empty or absent; ${instead}`)
  })
