import type { IncomingMessage } from 'node:http'
import { goJson } from '../../core/go/json.ts'
import { type HealthReport, healthReport } from '../../core/health-report.ts'
import type { Health, Host, RpcLevel } from '../../core/index.ts'
import { type Authorizations, isRefusal } from '../http/access/authorizations.ts'
import type { Guard } from '../http/access/guard.ts'
import { NOT_FOUND, plain, redirect, send } from '../http/responses.ts'
import type { Handler, Router, ServedRoute } from '../http/routes/router.ts'
import type { Documents } from './documents.ts'
import { type ResponseHeaders, serverOf } from './response/headers.ts'

interface RouteParts {
  readonly router: Router
  readonly guard: Guard
  readonly authorizations: Authorizations | undefined
  readonly headers: ResponseHeaders
  readonly host: Pick<Host, 'level' | 'plugins'>
  readonly health?: Pick<Health, 'present'> | undefined
  readonly documents: Documents
  /** Whether only this machine reaches the listener. */
  readonly local: boolean
  /** `Gateway.RootRedirect`: where everything goes that nothing else takes. */
  readonly rootRedirect: string
}

/** The WebUI that Kubo sends people to, by its version (core/corehttp/webui.go). */
export const WEBUIS: Readonly<Record<RpcLevel, string>> = {
  '0.28': '/ipfs/bafybeigggyffcf6yfhx5irtwzx3cgnk6n3dwylkvcpckzhqqrigsxowjwe',
  '0.42': '/ipfs/bafybeihxglpcfyarpm7apn7xpezbuoqgk3l5chyk7w4gvrjwk45rqohlmm'
}

const always = () => true

const NO_FAULTS: HealthReport = { status: 'ok', faults: [] }
const HEALTH_FIELDS = ['Content-Type', 'application/json', 'Cache-Control', 'no-store']

const DOCS_OFF = 'the page of the RPC is served on loopback addresses only; /openapi.json is here too\n'

/** The pages that the RPC listener serves beside the RPC and the routes of plugins. */
export function addRoutes(parts: RouteParts): void {
  const { router, guard, authorizations, headers, host, health, documents, local, rootRedirect } = parts
  const version = `Commit: \nClient Version: ${serverOf(host.level)}/\n`
  // everybody but pages of other sites; a person may follow a link there
  const open: Pick<ServedRoute, 'refusal'> = { refusal: request => guard.refusal(request, true) }
  const unknown = ({ headers, url = '', socket }: IncomingMessage) => {
    const verdict = authorizations?.admitAny(headers.authorization, url, socket.remoteAddress)
    return verdict !== undefined && isRefusal(verdict) ? verdict : undefined
  }
  // what describes the RPC is for whoever has any secret, as the command `version` is
  const described: Pick<ServedRoute, 'refusal'> = {
    refusal: request => guard.refusal(request, true) ?? unknown(request)
  }
  const json = (make: () => string | Promise<string>): Handler => {
    return async (request, response) => send(request, response, 200, ['Content-Type', 'application/json'], await make())
  }
  router
    .route('/version', (request, response) => send(request, response, 200, ['Content-Type', 'text/plain; charset=utf-8'], version), {
      ...open,
      isControl: always
    })
    .route('/webui/*', (request, response) => redirect(request, response, 302, WEBUIS[host.level], headers.everything), open)
    .route(
      '/plugins',
      json(() => `${goJson(host.plugins())}\n`),
      { ...described, method: 'GET', isControl: always }
    )
    .route(
      '/openapi.json',
      json(() => documents.openApi()),
      { ...described, method: 'GET' }
    )
  for (const path of ['/health', '/ready'] as const) {
    const tell: Handler = (request, response) => {
      // whoever needs no secret is on this machine
      const report = health === undefined ? NO_FAULTS : healthReport(health, path, authorizations === undefined)
      send(request, response, report.status === 'ok' ? 200 : 503, HEALTH_FIELDS, `${JSON.stringify(report)}\n`)
    }
    router.route(path, tell, { ...open, method: 'GET', isControl: always })
  }
  const docs: Handler = async (request, response, path) => {
    if (!local) return plain(request, response, 404, DOCS_OFF)
    const { serveDocs } = await import('./docs/serve.ts')
    await serveDocs(request, response, path)
  }
  router.route('/docs', docs, described).route('/docs/*', docs, described)
  router.otherwise((request, response) => {
    const refused = guard.refusal(request, true)
    if (refused !== undefined) plain(request, response, 403, refused)
    else if (rootRedirect === '') plain(request, response, 404, NOT_FOUND)
    else redirect(request, response, 302, rootRedirect)
  })
}
