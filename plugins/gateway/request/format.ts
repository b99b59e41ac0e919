import type { IncomingMessage } from 'node:http'
import { gatewayErrors } from '../errors.ts'

/** The forms in which content is asked for. `default`: as files and folders, or as the codec has it. */
export type Format = 'default' | 'raw' | 'car' | 'tar' | 'json' | 'cbor' | 'dag-json' | 'dag-cbor' | 'ipns-record'

/** A form that somebody chose, and how. */
export interface Choice {
  readonly format: Format
  /** Its media type as `Accept` has it; the one that it is known by where `?format` chose. */
  readonly mediaType: string
  /** The parameters that `Accept` gives that type, names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
  /** Whether the URL says it too. */
  readonly isInUrl: boolean
}

const MEDIA_TYPES: Readonly<Record<Exclude<Format, 'default'>, string>> = {
  raw: 'application/vnd.ipld.raw',
  car: 'application/vnd.ipld.car',
  tar: 'application/x-tar',
  json: 'application/json',
  cbor: 'application/cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  'ipns-record': 'application/vnd.ipfs.ipns-record'
}

const FORMATS: ReadonlyMap<string, Format> = new Map(Object.entries(MEDIA_TYPES).map(([format, type]) => [type, format as Format]))
const PREFIXES = ['application/vnd.ipld', 'application/vnd.ipfs', 'application/x-tar', 'application/json', 'application/cbor']
const NONE: ReadonlyMap<string, string> = new Map()
const DEFAULT: Choice = { format: 'default', mediaType: '', parameters: NONE, isInUrl: false }

export function mediaTypeOf(format: Exclude<Format, 'default'>): string {
  return MEDIA_TYPES[format]
}

/**
 * The form that a request asks for: `?format` before `Accept` (IPIP-523), whose parameters count where it names the same type.
 *
 * @param format - of the query
 * @throws E_GATEWAY_ACCEPT, E_GATEWAY_FORMAT
 */
export function chooseFormat(request: IncomingMessage, format: string | null): Choice {
  const { accept } = request.headers
  const asked = format !== null && Object.hasOwn(MEDIA_TYPES, format) ? (format as Exclude<Format, 'default'>) : undefined
  if (accept === undefined && asked === undefined) return DEFAULT
  if (asked === undefined) {
    const found = firstKnown(accept!)
    if (found === undefined) return DEFAULT
    const known = FORMATS.get(found.type)
    if (known === undefined) throw gatewayErrors.E_GATEWAY_FORMAT(found.type)
    return { format: known, mediaType: found.type, parameters: found.parameters, isInUrl: false }
  }
  const mediaType = MEDIA_TYPES[asked]
  const same =
    accept === undefined
      ? undefined
      : typesIn(accept)
          .map(parseMediaType)
          .find(one => one?.type === mediaType)
  const parameters = same?.parameters ?? NONE
  return { format: asked, mediaType, parameters, isInUrl: true }
}

/** Whether a browser asks, who can show a page. */
export function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false
}

interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The first type of `Accept` that content can be had as; the weights of types do not count. */
function firstKnown(accept: string): MediaType | undefined {
  for (const text of typesIn(accept)) {
    if (!PREFIXES.some(prefix => text.startsWith(prefix))) continue
    const parsed = parseMediaType(text)
    if (parsed === undefined) throw gatewayErrors.E_GATEWAY_ACCEPT()
    return parsed
  }
  return undefined
}

const typesIn = (accept: string) => accept.split(',').map(text => text.trim())

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

function parseMediaType(text: string): MediaType | undefined {
  const [name = '', ...attributes] = text.split(';').map(part => part.trim())
  const [main, sub, ...more] = name.toLowerCase().split('/')
  if (main === undefined || sub === undefined || more.length > 0 || !TOKEN.test(main) || !TOKEN.test(sub)) return undefined
  const parameters = new Map<string, string>()
  for (const part of attributes.filter(part => part !== '')) {
    const equals = part.indexOf('=')
    const key = part.slice(0, equals).trim().toLowerCase()
    if (equals < 1 || equals === part.length - 1 || !TOKEN.test(key) || parameters.has(key)) return undefined
    parameters.set(
      key,
      part
        .slice(equals + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1')
    )
  }
  return { type: `${main}/${sub}`, parameters }
}
