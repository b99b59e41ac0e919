/**
 * A page on a listener of its own: http://127.0.0.1:8090/hello?name=you
 *
 * ```yaml
 * plugins:
 *   http-hello: { port: 8090, greeting: hello }
 * ```
 *
 * @packageDocumentation
 */
import { listener, listenerSettings, Metrics, plugin, route, settings } from 'holdfast'
import { z } from 'zod'

const schema = z.strictObject({
  ...listenerSettings(8090),
  greeting: z.string().default('hello').describe('What a visitor is told.')
})

const hello = route({
  listener: 'http-hello',
  method: 'GET',
  path: '/hello',
  help: 'Greets a visitor.',
  needs: { own: settings<typeof schema>(), metrics: Metrics },
  handle({ own, metrics }, request, response) {
    metrics.counter({ name: 'visits_total', help: 'Visitors who were greeted.' }).inc()
    const name = new URL(request.url ?? '/', 'http://localhost').searchParams.get('name') ?? 'you'
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    response.end(`${own.greeting}, ${name}\n`)
  }
})

export default plugin({
  name: 'http-hello',
  api: '^1',
  about: 'Greets over HTTP, on a listener of its own.',
  settings: schema,
  listeners: [listener({ name: 'http-hello', help: 'Greetings.', needs: { at: settings<typeof schema>() }, at: ({ at }) => at })],
  routes: [hello]
})
