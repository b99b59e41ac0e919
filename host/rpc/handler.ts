import type { IncomingMessage, ServerResponse } from 'node:http'
import { callErrors } from '../../core/binding/errors.ts'
import type { GivenOptions, OptionValues } from '../../core/binding/options.ts'
import { parseDuration } from '../../core/go/duration.ts'
import { parseQuery } from '../../core/go/query.ts'
import type { Body, CallRequest, Calls, Command, Encoding, GlobalOptions, NodeError, RpcLevel } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { type Authorizations, decodedPath, isRefusal } from '../http/access/authorizations.ts'
import type { OriginRules } from '../http/access/cors.ts'
import type { PathGrant } from '../http/access/grants.ts'
import type { Guard } from '../http/access/guard.ts'
import { BatchedEnds } from '../http/batched-ends.ts'
import { HttpCaller } from '../http/caller.ts'
import type { Fields } from '../http/fields.ts'
import { lookForRest } from '../http/lingering-close.ts'
import { rpcErrors } from '../http/listener-errors.ts'
import { NOT_FOUND, plain, send } from '../http/responses.ts'
import type { RpcSettings } from '../http/settings.ts'
import { countForCommand } from '../request-counts.ts'
import type { CommandTree, Endpoint, FoundEndpoint } from './command-tree.ts'
import { RequestSignal } from './request-signal.ts'
import { type ResponseHeaders, serverOf } from './response/headers.ts'
import { Reply } from './response/reply.ts'
import { BodyLines, NoFile } from './upload/body-lines.ts'
import { multipartErrors } from './upload/errors.ts'
import { type MediaType, parseMediaType, typeOnly } from './upload/media-type.ts'
import { Upload } from './upload/upload.ts'
import { hasCome, WholeUpload } from './upload/whole-upload.ts'

interface RpcHandlerParts {
  readonly calls: Calls
  readonly tree: CommandTree
  readonly origins: OriginRules
  readonly guard: Guard
  readonly authorizations: Authorizations | undefined
  readonly headers: ResponseHeaders
  readonly settings: RpcSettings
  readonly level: RpcLevel
}

/** One request on its way through the API. */
interface RpcRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly cors: Fields
  readonly grant: PathGrant | undefined
}

const VARY: Fields = [['Vary', 'Origin']]
const ALLOW: Fields = [['Allow', 'OPTIONS, POST']]
const PREFLIGHT: Fields = [
  ['Vary', 'Origin'],
  ['Vary', 'Access-Control-Request-Method'],
  ['Vary', 'Access-Control-Request-Headers']
]

/** Everything under `/api/v0/`: who is let in, what a path and its words mean, and the call itself (go-ipfs-cmds 0.10, http/handler.go). */
export class RpcHandler {
  readonly #parts: RpcHandlerParts
  readonly #ends = new BatchedEnds()
  readonly #version: string

  constructor(parts: RpcHandlerParts) {
    this.#parts = parts
    this.#version = `/${serverOf(parts.level)}/`
  }

  /** @param path - percent-encoded, starts with `/api/v0/` */
  handle(request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void> | void {
    const { origins, guard, authorizations, tree } = this.#parts
    const { headers, method = '' } = request
    const agent = headers['user-agent']
    if (agent !== undefined && isOtherVersion(agent, path, this.#version)) {
      return plain(request, response, 400, `api version mismatch (${this.#version} != ${agent})\n`)
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
      const fields = [...ALLOW, ...VARY, ...origins.cors(origin, 'OPTIONS')]
      if (method === 'OPTIONS') return send(request, response, 204, fields.flat(), '')
      return plain(request, response, 405, '405 - Method Not Allowed\n', fields)
    }
    const isLetIn = origins.letsIn({ origin, referer: headers.referer, userAgent: agent })
    const refused = isLetIn ? guard.refusal(request) : guard.turnedAway(request, FORBIDDEN)
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

  async #call(received: RpcRequest, { endpoint, word }: FoundEndpoint, query: string): Promise<void> {
    const { request, response, cors } = received
    const { headers, settings } = this.#parts
    const { limits } = settings
    const { options: table, args: list, body: wantsBody } = endpoint.binding
    const words = word === undefined ? [] : [word]
    let given: GivenOptions | undefined
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
      body = this.#upload(received)
      if (body === undefined && wantsBody?.required) {
        list.check(words)
        throw callErrors.E_FILE_MISSING(wantsBody.name)
      }
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
      return this.#malformed(received, endpoint, error, () => {
        // the reference's handler breaks off without a word where it finds a folder instead of lines
        if (none) send(request, response, 200, [...VARY, ...cors].flat(), '')
        else plain(request, response, 400, `${messageOf(error)}\n`, [...VARY, ...cors])
      })
    }
    const { timeout, encoding: encodingName } = options as unknown as GlobalOptions
    const configuredFields = () => [...headers.configured, ...cors.flat()]
    const unread = timeout === undefined ? undefined : durationError(timeout)
    if (unread !== undefined) return this.#malformed(received, endpoint, unread, () => send(request, response, 200, configuredFields(), ''))
    const encoding = endpoint.encoding(encodingName)
    if (encoding === undefined) {
      const error = rpcErrors.E_ENCODING_UNKNOWN(encodingName)
      return this.#malformed(received, endpoint, error, () =>
        plain(request, response, 400, `${error.message}\n`, pairsOf(configuredFields()))
      )
    }
    await this.#run(received, endpoint, { words, lines, given, options, body, encoding })
  }

  async #run(received: RpcRequest, endpoint: Endpoint, said: ParsedRequest): Promise<void> {
    const { request, response, cors, grant } = received
    const { command, binding } = endpoint
    const { calls, headers, settings } = this.#parts
    const signal = new RequestSignal()
    const reply = this.#reply(received, command, said.encoding, signal)
    if (command === undefined) return reply.nothing()
    countForCommand(response, calls.byteCounts(command))
    response.on('close', () => {
      if (!response.writableFinished) signal.abort()
    })
    const end = (error: unknown) => {
      if (error instanceof NoFile) send(request, response, 200, [...headers.configured, ...cors.flat()], '')
      else reply.error(error)
    }
    let call: CallRequest
    try {
      if (said.lines !== undefined) await binding.args.takeLines(said.words, said.lines, settings.limits.arguments)
      const args = binding.args.values(said.words)
      const options = said.given === undefined ? said.options : binding.options.formats(said.given, said.options)
      call = { args, options, callerWords: said, body: said.body, signal, caller: this.#caller(request, grant) }
    } catch (error) {
      return this.#malformed(received, endpoint, error, () => end(error))
    }
    try {
      const result = await calls.run(command, call)
      await reply.result(result, command, () => calls.described(command, call))
    } catch (error) {
      await lookForRest(request)
      end(error)
    }
  }

  /**
   * Answers a request that makes no call.
   *
   * @param otherwise - the answer, unless a hook has another
   */
  async #malformed(received: RpcRequest, { command, encoding }: Endpoint, error: unknown, otherwise: () => void): Promise<void> {
    if (command === undefined) return otherwise()
    const { calls } = this.#parts
    const caller = this.#caller(received.request, received.grant)
    const reply = () => this.#reply(received, command, encoding('json')!, new RequestSignal())
    try {
      const result = await calls.malformed(command, { error, caller })
      await reply().result(result, command, () => calls.described(command, { args: {}, options: {}, caller }))
    } catch (answer) {
      if (answer === error) otherwise()
      else reply().error(answer)
    }
  }

  #caller(request: IncomingMessage, grant: PathGrant | undefined): HttpCaller {
    return new HttpCaller(request, grant, grant && this.#parts.authorizations?.behind(grant))
  }

  #reply({ request, response, cors }: RpcRequest, command: Command | undefined, encoding: Encoding, signal: RequestSignal): Reply {
    const { calls, headers, settings } = this.#parts
    const onError = (error: unknown) => void (command !== undefined && calls.report(command, error))
    return new Reply({
      request,
      response,
      headers,
      cors,
      encoding,
      signal,
      ends: this.#ends,
      lateFailure: settings.lateFailure,
      takesBody: command?.body !== undefined,
      bodyTimeoutMs: settings.limits.bodyTimeoutMs,
      onError
    })
  }

  /** @throws E_MULTIPART_TYPE, E_MULTIPART_BOUNDARY_MISSING */
  #upload({ request, response }: RpcRequest): Body | undefined {
    const type = request.headers['content-type']
    const boundary = type === undefined ? undefined : boundaryOf(type)
    if (boundary === undefined) return undefined
    const { limits } = this.#parts.settings
    return hasCome(request) ? new WholeUpload(request, boundary, limits) : new Upload(request, response, boundary, limits)
  }
}

/** A request, understood as far as it can be before its command runs. */
interface ParsedRequest {
  readonly words: string[]
  readonly lines: BodyLines | undefined
  readonly given: GivenOptions | undefined
  readonly options: OptionValues
  readonly body: Body | undefined
  readonly encoding: Encoding
}

const FORM = 'multipart/form-data'
const FORBIDDEN = '403 - Forbidden\n'

function switchedOff(path: string, reason: string): string {
  return `${path.slice('/api/v0/'.length)} is switched off: ${reason}`
}

/** Whether a caller is a Kubo of another version; those are only let ask for the version (Kubo 0.28, core/corehttp/commands.go). */
function isOtherVersion(agent: string, path: string, agentOfNode: string): boolean {
  if (!agent.includes('/kubo/') && !agent.includes('/go-ipfs/')) return false
  const first = path.slice('/api/v0/'.length).split('/', 1)[0]
  return first !== 'version' && agent !== agentOfNode
}

function durationError(text: string): unknown {
  try {
    parseDuration(text)
    return undefined
  } catch (error) {
    return error
  }
}

/**
 * The boundary of an upload; undefined for any other type.
 *
 * @throws E_MULTIPART_TYPE, E_MULTIPART_BOUNDARY_MISSING
 */
function boundaryOf(type: string): string | undefined {
  let read: MediaType
  try {
    read = parseMediaType(type)
  } catch {
    if (typeOnly(type) === FORM) throw multipartErrors.E_MULTIPART_TYPE()
    return undefined
  }
  if (read.type !== FORM) return undefined
  const boundary = read.parameters.get('boundary')
  if (boundary === undefined) throw multipartErrors.E_MULTIPART_BOUNDARY_MISSING()
  return boundary
}

function pairsOf(fields: readonly string[]): Fields {
  const pairs: Array<[string, string]> = []
  for (let i = 0; i < fields.length; i += 2) pairs.push([fields[i]!, fields[i + 1]!])
  return pairs
}
