import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { cleanPath } from '../../../core/go/path.ts'
import type { Refused } from '../access/authorizations.ts'
import { isWhole } from '../lingering-close.ts'
import { NOT_FOUND, plain, redirect, send } from '../responses.ts'
import { hostName } from './host-pattern.ts'
import { PathPattern } from './path-pattern.ts'
import { type Matcher, RouteTable } from './table.ts'

/** Serves one route; `path` is still percent-encoded, `query` without its `?`. It settles when its work is done; an answer may come later. */
export type Handler = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => Promise<void> | void

/** Takes over the connection of a request for another protocol. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, path: string, query: string) => Promise<void> | void

/** Whether a request is served now; it has been answered where it is not. */
type Admission = (request: IncomingMessage, response: ServerResponse, isControl: boolean) => boolean

/** The end of a request whose handler threw. */
type OnError = (error: unknown, request: IncomingMessage, response: ServerResponse) => void

/** The routes that a listener serves under some paths. */
export interface ServedRoute extends Matcher {
  readonly handler: Handler
  /** Why a caller is turned away, whether it is the handler that would answer or not; undefined for one who may come in. */
  refusal?(request: IncomingMessage, path: string, isUpgrade: boolean): Refused | undefined
  /** Which paths are for the control of the node. */
  isControl?(path: string): boolean
  readonly upgrade?: { readonly protocol: string; readonly handler: UpgradeHandler } | undefined
}

/** The target of a request, read. */
interface Way {
  readonly path: string
  readonly query: string
  readonly handler: Handler
  /** The route that takes it, or the first of those for its path that do not take its method. */
  readonly route: ServedRoute | undefined
}

interface RouterOptions {
  readonly onError: OnError
  readonly admits?: Admission
  readonly stopping?: AbortSignal
}

type Done = () => void
type RestifyHandler = (request: IncomingMessage, response: ServerResponse, done: Done) => void

/**
 * The router that restify asks. As with Go's `http.ServeMux`, a path that is not clean is sent to its clean form, and one without the slash of
 * what lies below it to the one with it. Which of several routes takes a request, {@link RouteTable} decides.
 */
export class Router extends EventEmitter {
  readonly name = 'router'
  readonly #table = new RouteTable<ServedRoute>()
  readonly #onError: OnError
  readonly #admits: Admission
  /** Fires as soon as the node stops. */
  readonly stopping: AbortSignal
  #hasUpgrades = false
  #otherwise: Handler = (request, response) => plain(request, response, 404, NOT_FOUND)

  constructor({ onError, admits = () => true, stopping = new AbortController().signal }: RouterOptions) {
    super()
    this.#onError = onError
    this.#admits = admits
    this.stopping = stopping
  }

  /** Whether a route takes connections over for another protocol. */
  get hasUpgrades(): boolean {
    return this.#hasUpgrades
  }

  add(route: ServedRoute): this {
    this.#table.add(route)
    this.#hasUpgrades ||= route.upgrade !== undefined
    return this
  }

  /** @param path - a path, or a prefix that ends in `/*`, for every method and host */
  route(path: string, handler: Handler, more: Pick<ServedRoute, 'refusal' | 'isControl'> & Partial<Matcher> = {}): this {
    return this.add({ method: '*', host: undefined, path: new PathPattern(path), handler, ...more })
  }

  /** The handler of requests for paths that no route is for. */
  otherwise(handler: Handler): this {
    this.#otherwise = handler
    return this
  }

  /** The handler that restify calls for every request. */
  lookup(request: IncomingMessage): RestifyHandler {
    const way = this.find(request)
    return (incoming, response, done) => {
      const failed = (error: unknown) => {
        this.#onError(error, incoming, response)
        done()
      }
      const serve = () => {
        try {
          if (!this.#admits(incoming, response, isControl(way))) return done()
          const work = way.handler(incoming, response, way.path, way.query)
          if (work === undefined) doneOnceAnswered(response, done)
          else work.then(() => doneOnceAnswered(response, done), failed)
        } catch (error) {
          failed(error)
        }
      }
      // a small body mostly comes with its header, but is looked at after it: let that happen first, so that it is known to be whole
      if (isWhole(incoming)) serve()
      else setImmediate(serve)
    }
  }

  find(request: IncomingMessage): Way {
    const target = request.url ?? '/'
    if (target === '*') return { path: target, query: '', route: undefined, handler: ofServer }
    const cut = target.indexOf('?')
    const path = originForm(cut < 0 ? target : target.slice(0, cut))
    const query = cut < 0 ? '' : target.slice(cut + 1)
    const clean = isClean(path) ? path : cleaned(path)
    const found = this.#table.find(request.method ?? '', clean, () => hostName(request.headers.host))
    const to = found.kind === 'below' ? `${clean}/` : clean
    if (to !== path) return { path, query, route: undefined, handler: redirection(query === '' ? to : `${to}?${query}`) }
    if (found.kind === 'route') return { path, query, route: found.route, handler: guarded(found.route) }
    if (found.kind === 'methods') return { path, query, route: found.first, handler: guarded(found.first, otherMethod(found.allow)) }
    return { path, query, route: undefined, handler: this.#otherwise }
  }
}

/** Answers what is asked of the server itself, not of a path (RFC 9110, 9.3.7), as Go's `net/http` does. */
const ofServer: Handler = (request, response) => {
  if (request.method === 'OPTIONS') send(request, response, 200, [], '')
  else plain(request, response, 400, 'only OPTIONS can be asked of the server itself, and not of a path\n')
}

const isControl = ({ route, path }: Way) => route?.isControl?.(path) ?? false

const redirection =
  (to: string): Handler =>
  (request, response) =>
    // browsers read a backslash as a slash, and two of them as another host
    redirect(request, response, 301, to.replaceAll('\\', '%5C'))

function guarded(route: ServedRoute, handler: Handler = route.handler): Handler {
  if (route.refusal === undefined) return handler
  return (request, response, path, query) => {
    const refused = route.refusal!(request, path, false)
    return refused === undefined ? handler(request, response, path, query) : refuse(request, response, refused)
  }
}

/** Answers somebody who is turned away. */
export function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  if (typeof refused === 'string') plain(request, response, 403, refused)
  else plain(request, response, refused.status, refused.text, refused.fields)
}

/** Answers requests by a method that no route for their path takes. */
function otherMethod(allow: string): Handler {
  return (request, response) => {
    if (request.method === 'OPTIONS') send(request, response, 204, ['Allow', allow], '')
    else plain(request, response, 405, '405 - Method Not Allowed\n', [['Allow', allow]])
  }
}

/** Tells restify that a handler is done, which answers in the stead of one that has not begun to: an answer may come later. */
function doneOnceAnswered(response: ServerResponse, done: Done): void {
  if (response.headersSent || response.closed) done()
  else response.once('close', done)
}

/** The path of a target that names a host too, as requests to a proxy do. */
function originForm(path: string): string {
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '') || '/'
}

function isClean(path: string): boolean {
  return path.startsWith('/') && !path.includes('//') && !path.includes('/.')
}

/** The path without `//`, `.` and `..`; a slash at its end stays. */
function cleaned(path: string): string {
  const clean = cleanPath(path.startsWith('/') ? path : `/${path}`)
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean
}
