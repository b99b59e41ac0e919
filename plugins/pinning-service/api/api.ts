import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeldInputs } from '../../../core/body/index.ts'
import { KeyedLock } from '../../../core/concurrency/index.ts'
import { httpOf, type Logger, messageOf, type RouteContext, type Token, token } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import type { WantedPin } from '../requests/request.ts'
import type { CurrentRequest, PinningService } from '../service.ts'
import type { PinningServiceSettings } from '../settings.ts'
import type { Admission } from './admission.ts'
import { readPin } from './body.ts'
import { readFilter } from './query.ts'
import { statusOf } from './status.ts'

interface ApiParts {
  readonly service: PinningService
  readonly admission: Admission
  readonly settings: Pick<PinningServiceSettings, 'limits'>
  readonly log: Logger
}

/** One request of a client that was let in. */
interface ApiRequest {
  readonly request: IncomingMessage
  readonly owner: string
  /** The ID in the path; undefined for `/pins` itself. */
  readonly id: string | undefined
  readonly context: RouteContext
}

interface Answer {
  readonly status: 200 | 202
  readonly body?: unknown
}

const METHODS = { all: 'GET, HEAD, POST, OPTIONS', one: 'GET, HEAD, POST, DELETE, OPTIONS' } as const

/** The IPFS Pinning Service API 1.0.0 over HTTP. What it throws is an answer in the API's words. */
export class PinningApi {
  readonly #parts: ApiParts
  readonly #inputs: HeldInputs
  /** A client's lists are made one after the other: each looks at all its requests. */
  readonly #lists = new KeyedLock()

  constructor(parts: ApiParts) {
    this.#parts = parts
    this.#inputs = new HeldInputs(parts.settings.limits.maxInputs, 'plugins.pinning-service.limits.maxInputs')
  }

  /** @throws what is an answer in the API's words, also where it is the node that failed */
  async handle(request: IncomingMessage, response: ServerResponse, context: RouteContext): Promise<void> {
    try {
      await this.#handle(request, response, context)
    } catch (error) {
      if (httpOf(error).body !== undefined || context.signal.aborted || response.headersSent) throw error
      this.#parts.log.error({ err: error }, `a request of a client failed: ${messageOf(error)}`)
      throw pinningServiceErrors.E_PINNING_INTERNAL()
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, context: RouteContext): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0]!
    allowOrigin(request, response)
    const [, isPins, requestId] = /^\/(pins)(?:\/([^/]+))?$/.exec(path) ?? []
    const methods = requestId === undefined ? METHODS.all : METHODS.one
    if (request.method === 'OPTIONS' && isPins !== undefined) return preflight(response, methods)
    const owner = this.#parts.admission.enter(request.headers.authorization, path, context.caller)
    if (isPins === undefined) throw pinningServiceErrors.E_PINNING_PATH()
    const { status, body } = await this.#answer({ request, owner, id: requestId, context }, methods)
    const text = body === undefined ? '' : JSON.stringify(body)
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    response.writeHead(status, { ...type, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : text)
  }

  async #answer(asked: ApiRequest, methods: string): Promise<Answer> {
    const { service } = this.#parts
    const { request, owner, id, context } = asked
    const method = request.method === 'HEAD' ? 'GET' : request.method
    if (method === 'POST') return { status: 202, body: this.#shown(await service.add(owner, await this.#pin(request), id)) }
    if (method === 'GET' && id === undefined) return { status: 200, body: await this.#list(owner, context) }
    if (method === 'GET') return { status: 200, body: this.#shown(await service.get({ owner, id: id! })) }
    if (method !== 'DELETE' || id === undefined) throw pinningServiceErrors.E_PINNING_METHOD(String(method), methods)
    await service.remove({ owner, id })
    return { status: 202 }
  }

  #list(owner: string, { query, signal }: RouteContext) {
    const filter = readFilter(query)
    return this.#lists.run(owner, async () => {
      const { count, found } = await this.#parts.service.find(owner, filter, signal)
      return { count, results: found.map(request => this.#shown(request)) }
    })
  }

  async #pin(request: IncomingMessage): Promise<WantedPin> {
    const held = this.#inputs.begin()
    try {
      return await readPin(request, this.#parts.settings.limits, held)
    } finally {
      held.release()
    }
  }

  #shown(request: CurrentRequest) {
    return statusOf(request, this.#parts.service.delegates)
  }
}

export const PinningApiToken: Token<PinningApi> = token<PinningApi>('pinning-service-api')

/** A page that comes this far is one that the listener lets in. */
function allowOrigin({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (origin !== undefined) response.setHeader('Access-Control-Allow-Origin', origin)
}

function preflight(response: ServerResponse, methods: string): void {
  response.writeHead(204, {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600'
  })
  response.end()
}
