import { byteString } from '../../core/go/index.ts'
import type { Json } from '../../core/index.ts'

const CORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Access-Control-Allow-Headers', ['Content-Type', 'Range', 'User-Agent', 'X-Requested-With']],
  ['Access-Control-Allow-Methods', ['GET', 'HEAD', 'OPTIONS']],
  ['Access-Control-Allow-Origin', ['*']],
  [
    'Access-Control-Expose-Headers',
    ['Content-Length', 'Content-Range', 'X-Chunked-Output', 'X-Ipfs-Path', 'X-Ipfs-Roots', 'X-Stream-Output']
  ]
])
/** The lists among the CORS fields that a configuration adds to; it replaces the others. */
const EXTENDED = new Set(['Access-Control-Allow-Headers', 'Access-Control-Expose-Headers'])
/** Fields that say where an answer ends, or what becomes of its connection: two that disagree are two answers to whoever reads one. */
const FRAMING = new Set(['Connection', 'Content-Length', 'Keep-Alive', 'Proxy-Connection', 'Te', 'Trailer', 'Transfer-Encoding', 'Upgrade'])
const NAME = /^[!#$%&'*+.^`|~\w-]+$/

interface AnswerHeaders {
  /** Name and value in turn. */
  readonly headers: readonly string[]
  /** Whether there are others than the CORS fields, which no answer sets. */
  readonly addsHeaders: boolean
  /** Header fields of the configuration that cannot be sent, a line each. */
  readonly passedOver: readonly string[]
}

/** The CORS fields with what the configuration adds or replaces, and all its other fields (`Gateway.HTTPHeaders`). */
export function answerHeaders(configured: Json | undefined): AnswerHeaders {
  const fields = new Map(CORS)
  const passedOver: string[] = []
  for (const [key, values] of Object.entries((configured ?? {}) as Readonly<Record<string, Json>>)) {
    const name = key.toLowerCase().replace(/(^|[-_])[a-z]/g, found => found.toUpperCase())
    const configuredValues = (Array.isArray(values) ? values : [values]).filter(value => typeof value === 'string').map(fieldValue)
    const why = whyNotSent(name)
    if (why !== undefined) {
      passedOver.push(`Gateway.HTTPHeaders: '${key}' is passed over: ${why}`)
      continue
    }
    const before = EXTENDED.has(name) ? fields.get(name)! : []
    fields.set(name, [...new Set([...before, ...configuredValues])])
  }
  const headers = [...fields].flatMap(([name, values]) => {
    if (EXTENDED.has(name)) return [name, [...values].sort().join(', ')]
    return name === 'Access-Control-Allow-Methods' ? [name, values.join(', ')] : values.flatMap(value => [name, value])
  })
  return { headers, addsHeaders: [...fields.keys()].some(name => !CORS.has(name)), passedOver }
}

function whyNotSent(name: string): string | undefined {
  if (!NAME.test(name)) return 'it is no name of a header field'
  return FRAMING.has(name) ? 'the gateway itself says where an answer ends' : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** Text as the value of a header field: its UTF-8 bytes, control characters as spaces. */
export function fieldValue(text: string): string {
  return byteString(text).replace(CONTROL, ' ').trim()
}
