import type { IncomingMessage, ServerResponse } from 'node:http'
import { callErrors } from '../../core/binding/errors.ts'
import type { Given, OptionValues } from '../../core/binding/options.ts'
import { parseDuration } from '../../core/go/duration.ts'
import { parseQuery } from '../../core/go/query.ts'
import type { Body, CallRequest, Calls, Command, Encoding, GlobalOptions, Grant, NodeError } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { HttpCaller } from '../http/caller.ts'
import { assignTraffic } from '../traffic.ts'
import { type Authorizations, decodedPath, isRefusal } from './authorization.ts'
import { BodyLines, NoFile } from './body-lines.ts'
import { Departure } from './departure.ts'
import { Endings } from './endings.ts'
import { rpcErrors } from './errors.ts'
import type { Guard } from './guard.ts'
import type { Heads } from './heads.ts'
import { multipartErrors } from './multipart/errors.ts'
import { parseMediaType, typeOnly } from './multipart/media-type.ts'
import { Upload } from './multipart/upload.ts'
import type { Fields, OriginRules } from './origin.ts'
import { NOT_FOUND, plain, send } from './plain.ts'
import { Reply } from './reply.ts'
import type { RpcSettings } from './settings.ts'
import type { CommandTree, Endpoint, Found } from './tree.ts'

export interface ApiParts {
  readonly calls: Calls
  readonly tree: CommandTree
  readonly origins: OriginRules
  readonly guard: Guard
  readonly authorizations: Authorizations | undefined
  readonly heads: Heads
  readonly settings: RpcSettings
}

/** One request on its way through the API. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly cors: Fields
  readonly grant: Grant | undefined
}

const VARY: Fields = [['Vary', 'Origin']]
const ALLOW: Fields = [['Allow', 'OPTIONS, POST']]
const PREFLIGHT: Fields = [
  ['Vary', 'Origin'],
  ['Vary', 'Access-Control-Request-Method'],
  ['Vary', 'Access-Control-Request-Headers']
]
const OWN_VERSION = '/kubo/0.28.0/'

/** Everything under `/api/v0/`: who is let in, what a path and its words mean, and the call itself (go-ipfs-cmds 0.10, http/handler.go). */
export class Api {
  readonly #parts: ApiParts
  readonly #endings = new Endings()

  constructor(parts: ApiParts) {
    this.#parts = parts
  }

  /** @param path - percent-encoded, starts with `/api/v0/` */
  handle(request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void> | void {
    const { origins, guard, authorizations, tree } = this.#parts
    const { headers, method = '' } = request
    const agent = headers['user-agent']
    if (agent !== undefined && isOtherVersion(agent, path)) {
      return plain(request, response, 400, `api version mismatch (${OWN_VERSION} != ${agent})\n`)
    }
    const grant = authorizations?.admit(headers.authorization, decodedPath(path), request.socket.remoteAddress)
    if (grant !== undefined && isRefusal(grant)) return plain(request, response, grant.status, grant.text, grant.fields)
    const { origin } = headers
    const wanted = headers['access-control-request-method']
    if (method === 'OPTIONS' && wanted) {
      const fields = origins.preflight(origin, wanted, headers['access-control-request-headers'])
      return send(request, response, 200, [...PREFLIGHT, ...fields].flat(), '')
    }
    const cors = origins.cors(origin, method)
    if (method !== 'POST') {
      const fields = [...ALLOW, ...VARY, ...cors]
      if (method === 'OPTIONS') return send(request, response, 204, fields.flat(), '')
      return plain(request, response, 405, '405 - Method Not Allowed\n', fields)
    }
    const refused = origins.letsIn({ origin, referer: headers.referer, userAgent: agent }) ? guard.refusal(request) : FORBIDDEN
    if (refused !== undefined) return plain(request, response, 403, refused, [...VARY, ...cors])
    const found = tree.find(path)
    if (!('endpoint' in found)) {
      return plain(request, response, 404, found.reason === undefined ? NOT_FOUND : `${switchedOff(path, found.reason)}\n`, [
        ...VARY,
        ...cors
      ])
    }
    return this.#call({ request, response, cors, grant }, found, query)
  }

  async #call(exchange: Exchange, { endpoint, word }: Found, query: string): Promise<void> {
    const { request, response, cors } = exchange
    const { heads, settings } = this.#parts
    const { limits } = settings
    const { options: table, args: list, body: wantsBody } = endpoint.binding
    const words = word === undefined ? [] : [word]
    let given: Given | undefined
    let options: OptionValues = table.defaults
    let body: Body | undefined
    let lines: BodyLines | undefined
    try {
      if (query !== '') {
        const pairs: Array<readonly [string, string]> = []
        for (const pair of parseQuery(query)) {
          if (pair[0] === 'arg') words.push(pair[1])
          else pairs.push(pair)
        }
        if (words.length > limits.arguments) throw callErrors.E_ARGUMENTS_TOO_MANY(limits.arguments)
        if (pairs.length > 0) given = table.gather(pairs)
      }
      body = this.#upload(exchange)
      if (body === undefined && wantsBody?.required) throw callErrors.E_FILE_MISSING(wantsBody.name)
      if (given !== undefined) options = table.values(given)
      if (body !== undefined && list.fromBody) {
        const first = await body[Symbol.asyncIterator]().next()
        if (first.done !== true) lines = new BodyLines(first.value, limits.argumentBytes)
        body = undefined
      }
      if (lines === undefined) list.check(words)
      else await list.require(words, lines)
    } catch (error) {
      const none = error instanceof NoFile
      if (!none && typeof (error as Partial<NodeError>).code !== 'string') throw error
      return this.#malformed(exchange, endpoint, error, () => {
        // the reference's handler breaks off without a word where it finds a folder instead of lines
        if (none) send(request, response, 200, [...VARY, ...cors].flat(), '')
        else plain(request, response, 400, `${messageOf(error)}\n`, [...VARY, ...cors])
      })
    }
    const { timeout, encoding: encodingName } = options as unknown as GlobalOptions
    const own = () => [...heads.configured, ...cors.flat()]
    const unread = timeout === undefined ? undefined : durationError(timeout)
    if (unread !== undefined) return this.#malformed(exchange, endpoint, unread, () => send(request, response, 200, own(), ''))
    const encoding = endpoint.encoding(encodingName)
    if (encoding === undefined) {
      const error = rpcErrors.E_ENCODING_UNKNOWN(encodingName)
      return this.#malformed(exchange, endpoint, error, () => plain(request, response, 400, `${error.message}\n`, pairsOf(own())))
    }
    await this.#run(exchange, endpoint, { words, lines, given, options, body, encoding })
  }

  async #run(exchange: Exchange, endpoint: Endpoint, said: Said): Promise<void> {
    const { request, response, cors, grant } = exchange
    const { command, binding } = endpoint
    const { calls, heads, settings } = this.#parts
    const departure = new Departure()
    const reply = this.#reply(exchange, command, said.encoding, departure)
    if (command === undefined) return reply.nothing()
    assignTraffic(response, calls.traffic(command))
    response.on('close', () => {
      if (!response.writableFinished) departure.happen()
    })
    const end = (error: unknown) => {
      if (error instanceof NoFile) send(request, response, 200, [...heads.configured, ...cors.flat()], '')
      else reply.error(error)
    }
    let call: CallRequest
    try {
      if (said.lines !== undefined) await binding.args.takeRest(said.words, said.lines, settings.limits.arguments)
      const args = binding.args.values(said.words)
      const options = said.given === undefined ? said.options : binding.options.formats(said.given, said.options)
      call = { args, options, said, body: said.body, signal: departure, caller: new HttpCaller(request, grant) }
    } catch (error) {
      return this.#malformed(exchange, endpoint, error, () => end(error))
    }
    try {
      const result = await calls.run(command, call)
      await reply.result(result, command, () => calls.described(command, call))
    } catch (error) {
      end(error)
    }
  }

  /**
   * Answers a request that makes no call.
   *
   * @param otherwise - the answer, unless a hook has another
   */
  async #malformed(exchange: Exchange, { command, encoding }: Endpoint, error: unknown, otherwise: () => void): Promise<void> {
    if (command === undefined) return otherwise()
    const { calls } = this.#parts
    const caller = new HttpCaller(exchange.request, exchange.grant)
    const reply = () => this.#reply(exchange, command, encoding('json')!, new Departure())
    try {
      const result = await calls.malformed(command, { error, caller })
      await reply().result(result, command, () => calls.described(command, { args: {}, options: {}, caller }))
    } catch (answer) {
      if (answer === error) otherwise()
      else reply().error(answer)
    }
  }

  #reply({ request, response, cors }: Exchange, command: Command | undefined, encoding: Encoding, departure: Departure): Reply {
    const { calls, heads, settings } = this.#parts
    const onError = (error: unknown) => {
      if (command !== undefined) calls.report(command, error)
    }
    return new Reply({
      request,
      response,
      heads,
      cors,
      encoding,
      departure,
      endings: this.#endings,
      lateFailure: settings.lateFailure,
      onError
    })
  }

  /** @throws E_MULTIPART_TYPE, E_MULTIPART_BOUNDARY_MISSING */
  #upload({ request, response }: Exchange): Upload | undefined {
    const type = request.headers['content-type']
    if (type === undefined || typeOnly(type) !== 'multipart/form-data') return undefined
    const boundary = boundaryOf(type)
    if (boundary === undefined) throw multipartErrors.E_MULTIPART_BOUNDARY_MISSING()
    return new Upload(request, response, boundary, this.#parts.settings.limits)
  }
}

/** What a request said, understood as far as it can be before its command runs. */
interface Said {
  readonly words: string[]
  readonly lines: BodyLines | undefined
  readonly given: Given | undefined
  readonly options: OptionValues
  readonly body: Body | undefined
  readonly encoding: Encoding
}

const FORBIDDEN = '403 - Forbidden\n'

function switchedOff(path: string, reason: string): string {
  return `${path.slice('/api/v0/'.length)} is switched off: ${reason}`
}

/** Whether a caller is a Kubo of another version; those are only let ask for the version (Kubo 0.28, core/corehttp/commands.go). */
function isOtherVersion(agent: string, path: string): boolean {
  if (!agent.includes('/kubo/') && !agent.includes('/go-ipfs/')) return false
  const first = path.slice('/api/v0/'.length).split('/', 1)[0]
  return first !== 'version' && agent !== OWN_VERSION
}

/** What is wrong with a duration. */
function durationError(text: string): unknown {
  try {
    parseDuration(text)
    return undefined
  } catch (error) {
    return error
  }
}

/** @throws E_MULTIPART_TYPE */
function boundaryOf(type: string): string | undefined {
  try {
    return parseMediaType(type).parameters.get('boundary')
  } catch {
    throw multipartErrors.E_MULTIPART_TYPE()
  }
}

function pairsOf(fields: readonly string[]): Fields {
  const pairs: Array<[string, string]> = []
  for (let i = 0; i < fields.length; i += 2) pairs.push([fields[i]!, fields[i + 1]!])
  return pairs
}
