import { type Json, type RpcLevel, versionOfLevel } from '../../../core/index.ts'
import { canonical } from '../../http/access/cors.ts'
import { fieldValue, type RawFields } from '../../http/fields.ts'
import { FRAMING } from '../../http/override.ts'

/** The kinds of answers that commands give. */
export type ReplyKind = 'value' | 'stream' | 'bytes' | 'error'

const EXPOSED = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
const CORS_ONLY = new Set(['Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Credentials'])

/** The version of the RPC that a node of a level speaks, and the name of who defined it. */
export const serverOf = (level: RpcLevel) => `kubo/${versionOfLevel(level)}`

/** Header fields of answers by kind and content type, put together once (go-ipfs-cmds 0.10, http/responseemitter.go). */
export class ResponseHeaders {
  readonly #configured: ReadonlyMap<string, readonly string[]>
  readonly #server: string
  readonly #made = new Map<string, RawFields>()

  /** @param headers - `API.HTTPHeaders` */
  constructor(headers: Json | undefined, level: RpcLevel) {
    this.#server = serverOf(level)
    this.#configured = configuredHeaders(headers)
  }

  /** Fields of a command's answer. An HTTP/1.0 caller gets none that announces a trailer. */
  reply(kind: ReplyKind, contentType: string, trailer: boolean): RawFields {
    const key = `${kind} ${trailer} ${contentType}`
    let fields = this.#made.get(key)
    if (fields === undefined) {
      fields = this.#reply(kind, contentType, trailer)
      this.#made.set(key, fields)
    }
    return fields
  }

  /** Fields of an answer that the node gives in a command's name before it runs: the configured ones. */
  get configured(): RawFields {
    return flat(new Map([['Vary', ['Origin']], ...this.#withoutCors()]))
  }

  /** Fields of the redirection to the WebUI: everything configured, the CORS ones too. */
  get everything(): RawFields {
    return flat(this.#configured)
  }

  #withoutCors(): Array<[string, readonly string[]]> {
    return [...this.#configured].filter(([name]) => !CORS_ONLY.has(name))
  }

  #reply(kind: ReplyKind, contentType: string, trailer: boolean): RawFields {
    const fields = new Map<string, readonly string[]>([['Vary', ['Origin']], ...this.#withoutCors()])
    fields.set('Access-Control-Allow-Headers', [EXPOSED])
    fields.set('Access-Control-Expose-Headers', [EXPOSED])
    fields.set('Content-Type', [contentType])
    fields.set('Server', [this.#server])
    if (trailer) fields.set('Trailer', ['X-Stream-Error'])
    if (kind === 'stream') fields.set('X-Chunked-Output', ['1'])
    if (kind === 'bytes') fields.set('X-Stream-Output', ['1'])
    return flat(fields)
  }
}

function configuredHeaders(headers: Json | undefined): Map<string, readonly string[]> {
  const configured = new Map<string, readonly string[]>()
  for (const [name, values] of Object.entries((headers ?? {}) as Readonly<Record<string, Json>>)) {
    const list = (Array.isArray(values) ? values : [values]).filter(value => typeof value === 'string')
    const canBeSent = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && !FRAMING.has(name.toLowerCase())
    if (canBeSent) configured.set(canonical(name), list.map(fieldValue))
  }
  return configured
}

function flat(fields: ReadonlyMap<string, readonly string[]>): RawFields {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.flatMap(([name, values]) => values.flatMap(value => [name, value]))
}
