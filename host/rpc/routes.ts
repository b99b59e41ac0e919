import type { IncomingMessage, ServerResponse } from 'node:http'
import { goJson } from '../../core/go/json.ts'
import { type Host, messageOf } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { BoundRoute } from '../plugins/declarations.ts'
import { type Authorizations, DENIED } from './authorization.ts'
import type { Documents } from './documents.ts'
import type { Guard } from './guard.ts'
import type { Heads } from './heads.ts'
import type { Handler, Mux } from './mux.ts'
import type { OriginRules } from './origin.ts'
import { NOT_FOUND, plain, redirect, send } from './plain.ts'

export interface RouteParts {
  readonly mux: Mux
  readonly guard: Guard
  readonly origins: OriginRules
  readonly authorizations: Authorizations | undefined
  readonly heads: Heads
  readonly host: Pick<Host, 'plugins'>
  readonly documents: Documents
  /** Whether only this machine reaches the listener. */
  readonly local: boolean
  /** `Gateway.RootRedirect`: where everything goes that nothing else takes. */
  readonly rootRedirect: string
  readonly routes: readonly BoundRoute[]
}

/** The WebUI that Kubo 0.28 sends people to (core/corehttp/webui.go, v4.2.1). */
const WEBUI = '/ipfs/bafybeigggyffcf6yfhx5irtwzx3cgnk6n3dwylkvcpckzhqqrigsxowjwe'

const VERSION_TEXT = 'Commit: \nClient Version: kubo/0.28.0/\n'

const always = () => true

const DOCS_OFF = 'the page of the RPC is served on loopback addresses only; /openapi.json is here too\n'

/** What the RPC listener serves beside the RPC. */
export function addRoutes(parts: RouteParts): void {
  const { mux, guard, authorizations, heads, host, documents, local, rootRedirect } = parts
  const guarded = openTo(guard)
  mux.route(
    '/version',
    guarded((request, response) => send(request, response, 200, ['Content-Type', 'text/plain; charset=utf-8'], VERSION_TEXT)),
    always
  )
  mux.route(
    '/webui/',
    guarded((request, response) => redirect(request, response, 302, WEBUI, heads.everything))
  )
  // what describes the RPC is for whoever has any secret, as the command `version` is
  const described = (handler: Handler): Handler =>
    guarded((request, response, path, query) => {
      const denied = authorizations !== undefined && authorizations.known(request.headers.authorization) === undefined
      return denied ? plain(request, response, 403, DENIED) : handler(request, response, path, query)
    })
  const json = (make: () => string | Promise<string>): Handler => {
    return described(async (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return plain(request, response, 405, '405 - Method Not Allowed\n', [['Allow', 'GET, HEAD']])
      }
      send(request, response, 200, ['Content-Type', 'application/json'], await make())
    })
  }
  mux.route(
    '/plugins',
    json(() => `${goJson(host.plugins())}\n`),
    always
  )
  mux.route(
    '/openapi.json',
    json(() => documents.openApi())
  )
  const docs = described(async (request, response, path) => {
    if (!local) return plain(request, response, 404, DOCS_OFF)
    const { serveDocs } = await import('./docs/serve.ts')
    await serveDocs(request, response, path)
  })
  mux.route('/docs', docs).route('/docs/', docs)
  addPluginRoutes(parts, { everybody: false })
  mux.route(
    '/',
    guarded((request, response) => {
      if (rootRedirect === '') plain(request, response, 404, NOT_FOUND)
      else redirect(request, response, 302, rootRedirect)
    })
  )
}

/** Lets in everybody but pages of other sites. */
function openTo(guard: Guard): (handler: Handler) => Handler {
  return handler => (request, response, path, query) => {
    const refused = guard.refusal(request, true)
    return refused === undefined ? handler(request, response, path, query) : plain(request, response, 403, refused)
  }
}

/** What plugins' routes on any listener are held to. */
export type PluginRouteParts = Pick<RouteParts, 'mux' | 'guard' | 'origins' | 'authorizations' | 'routes'>

/** @param everybody - whether routes that do not say what they let a caller do ask for no secret */
export function addPluginRoutes(parts: PluginRouteParts, { everybody }: { everybody: boolean }): void {
  const guarded = openTo(parts.guard)
  for (const route of parts.routes) {
    const isOpen = route.declaration.access === undefined
    const lets = isOpen ? guarded : fromOwnPages(parts)
    addPluginRoute(parts.mux, route, handler => lets(isOpen && everybody ? handler : withSecret(parts, handler)))
  }
}

/** Lets in whom the RPC would let in too, as far as origins go. */
function fromOwnPages({ guard, origins }: PluginRouteParts): (handler: Handler) => Handler {
  return handler => (request, response, path, query) => {
    const { headers } = request
    // a browser that says so sends what a person typed, or what a page of this node's own asks for
    const own = headers['sec-fetch-site'] === 'none' || headers['sec-fetch-site'] === 'same-origin'
    const from = { origin: headers.origin, referer: headers.referer, userAgent: own ? undefined : headers['user-agent'] }
    const refused = origins.letsIn(from) ? guard.refusal(request) : '403 - Forbidden\n'
    if (refused !== undefined) return plain(request, response, 403, refused)
    return handler(request, response, path, query)
  }
}

/** Lets in who has a secret that opens the path, where callers need one. */
function withSecret({ authorizations }: PluginRouteParts, handler: Handler): Handler {
  if (authorizations === undefined) return handler
  return (request, response, path, query) => {
    if (!authorizations.opens(request.headers.authorization, path)) return plain(request, response, 403, DENIED)
    return handler(request, response, path, query)
  }
}

function addPluginRoute(mux: Mux, { plugin, declaration, services }: BoundRoute, guarded: (handler: Handler) => Handler): void {
  const { method, path } = declaration
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (method !== '*' && request.method !== method && !(method === 'GET' && request.method === 'HEAD')) {
      return plain(request, response, 405, '405 - Method Not Allowed\n', [['Allow', method]])
    }
    try {
      await declaration.handle(services, request, response)
    } catch (error) {
      throw Object.assign(hostErrors.E_ROUTE_FAILED(plugin, `${method} ${path}`, messageOf(error)), { cause: error })
    }
  }
  mux.route(path.endsWith('/*') ? path.slice(0, -1) : path, guarded(handle), () => declaration.control)
}
