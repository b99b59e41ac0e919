import { parseInteger } from '../../../core/go/number.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { type RouteDeclaration, route } from '../../../core/index.ts'
import { refuse } from './respond.ts'

/** Where the reference sets how often locks are watched. There are none here: what is said is checked and has no effect. */
export const rateRoutes: readonly RouteDeclaration[] = [rate('/debug/pprof-mutex/*', 'fraction'), rate('/debug/pprof-block/*', 'rate')]

function rate(path: string, parameter: string): RouteDeclaration {
  return route({
    listener: 'rpc',
    method: '*',
    path,
    help: `Takes a '${parameter}', without effect: there are no locks to watch.`,
    access: 'admin',
    handle(_, request, response, { query }) {
      if (request.method !== 'POST') return refuse(response, 405, 'only POST allowed')
      const value = query.get(parameter) ?? ''
      if (value === '') return refuse(response, 400, `parameter '${parameter}' must be set`)
      try {
        parseInteger(value, 64, true, 10)
      } catch {
        return refuse(response, 400, `strconv.Atoi: parsing ${goQuote(value)}: invalid syntax`)
      }
      response.writeHead(200, { 'Content-Length': '0' })
      response.end()
    }
  })
}
