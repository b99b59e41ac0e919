import { request as ask, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listener, type Plugin, plugin, type RouteDeclaration, route } from '../../../../core/index.ts'
import { type NodeHost } from '../../../../host/host.ts'
import { serve, type TestHostOptions, testHost } from '../../../../host/testing.ts'
import { Wire } from '../../rpc/support/wire.ts'

/** The listener that {@link serveRoutes} opens. */
export const LISTENER = 'own'

type RouteOptions = Partial<Parameters<typeof route>[0]> & { handle?: RouteDeclaration['handle'] }

/** A route of {@link LISTENER}: `GET`, without needs, one that answers its own method and path, where nothing else is said. */
export function answering(path: string, options: RouteOptions = {}): RouteDeclaration {
  const { method = 'GET' } = options
  return route({
    listener: LISTENER,
    method,
    path,
    help: 'For a test.',
    handle: (_, __, response) => void response.end(`${method} ${path}`),
    ...options
  })
}

/** A route that answers a `POST` with its body behind a text. */
export const echoing = (path: string, before = ''): RouteDeclaration =>
  answering(path, {
    method: 'POST',
    async handle(_, request, response) {
      let text = before
      for await (const piece of request) text += piece
      response.end(text)
    }
  })

/** A plugin that opens {@link LISTENER} and serves the routes there. */
export const serving = (routes: readonly RouteDeclaration[], name = 'own'): Plugin =>
  plugin({
    name,
    api: '^1',
    about: 'Routes for tests.',
    listeners: name === 'own' ? [listener({ name: LISTENER, help: '', at: () => ({ port: 0 }) })] : [],
    routes
  })

export interface ServedRoutes {
  readonly host: NodeHost
  readonly url: string
  readonly port: number
  /** Asks with exactly these fields besides `Host`. */
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Answer>
  wire(): Promise<Wire>
}

export interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A host without built-ins that serves these routes. It goes with the test. */
export async function serveRoutes(
  t: ExecutionContext,
  routes: readonly RouteDeclaration[] | Plugin,
  options: Pick<TestHostOptions, 'configuration'> = {}
): Promise<ServedRoutes> {
  const plugins = ['name' in routes ? routes : serving(routes)]
  const host = await testHost({ plugins, builtIns: false, ...options })
  t.teardown(() => host.stop())
  const url = (await serve(host)).listeners[LISTENER]!
  const port = Number(new URL(url).port)
  return {
    host,
    url,
    port,
    async wire() {
      const wire = await Wire.to(port)
      t.teardown(() => wire.leave())
      return wire
    },
    ask: (method, path, headers = {}) =>
      new Promise((resolve, reject) => {
        ask({ host: '127.0.0.1', port, method, path, headers, agent: false }, response => resolve(answerOf(response)))
          .on('error', reject)
          .end()
      })
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return { status: response.statusCode, headers: response.headers, text }
}
