import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cleanPath } from '../../core/go/path.ts'
import { isWhole } from './closing.ts'
import { NOT_FOUND, plain, redirect } from './plain.ts'

/** Serves one route; `path` is still percent-encoded, `query` without its `?`. It settles when all is said. */
export type Handler = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => Promise<void> | void

/** Whether a request is served now. */
export type Admission = (request: IncomingMessage, response: ServerResponse, isControl: boolean) => boolean

interface Target {
  readonly handler: Handler
  isControl(path: string): boolean
}

const never = () => false

type Done = () => void
type RestifyHandler = (request: IncomingMessage, response: ServerResponse, done: Done) => void

/**
 * The router that restify asks: paths are matched as Go's `http.ServeMux` does. A pattern that ends in a slash takes everything below it,
 * the longest one wins; a path that is not clean is sent to its clean form, one without the slash of its pattern to the one with it.
 */
export class Mux extends EventEmitter {
  readonly name = 'mux'
  readonly #exact = new Map<string, Target>()
  readonly #below: Array<readonly [prefix: string, target: Target]> = []
  readonly #onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void
  readonly #admits: Admission

  /**
   * @param onError - what becomes of a request whose handler threw
   * @param admits - whether a request is served now; it has been answered where it is not
   */
  constructor(onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void, admits: Admission = () => true) {
    super()
    this.#onError = onError
    this.#admits = admits
  }

  /**
   * @param pattern - a path, or one that ends in a slash for all that is below it
   * @param isControl - which paths are for the control of the node
   */
  route(pattern: string, handler: Handler, isControl: (path: string) => boolean = never): this {
    const target: Target = { handler, isControl }
    if (!pattern.endsWith('/')) this.#exact.set(pattern, target)
    else {
      this.#below.push([pattern, target])
      this.#below.sort(([a], [b]) => b.length - a.length)
    }
    return this
  }

  /** What restify calls for every request. */
  lookup(request: IncomingMessage): RestifyHandler {
    const target = request.url ?? '/'
    const cut = target.indexOf('?')
    const path = originForm(cut < 0 ? target : target.slice(0, cut))
    const query = cut < 0 ? '' : target.slice(cut + 1)
    const { handler, isControl } = this.#match(path, query)
    return (incoming, response, done) => {
      const failed = (error: unknown) => {
        this.#onError(error, incoming, response)
        done()
      }
      const serve = () => {
        try {
          if (!this.#admits(incoming, response, isControl(path))) return done()
          const work = handler(incoming, response, path, query)
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

  #match(path: string, query: string): Target {
    const clean = isClean(path) ? path : cleaned(path)
    const exact = this.#exact.get(clean)
    const isRoot = exact === undefined && this.#below.some(([prefix]) => prefix.length === clean.length + 1 && prefix.startsWith(clean))
    const to = isRoot ? `${clean}/` : clean
    if (to !== path)
      return { handler: (request, response) => redirect(request, response, 301, query === '' ? to : `${to}?${query}`), isControl: never }
    return exact ?? this.#below.find(([prefix]) => clean.startsWith(prefix))?.[1] ?? notFound
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

const notFound: Target = { handler: (request, response) => plain(request, response, 404, NOT_FOUND), isControl: never }

function isClean(path: string): boolean {
  return path.startsWith('/') && !path.includes('//') && !path.includes('/.')
}

/** The path without `//`, `.` and `..`; a slash at its end stays. */
function cleaned(path: string): string {
  const clean = cleanPath(path.startsWith('/') ? path : `/${path}`)
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean
}
