/**
 * Greetings on a listener of its own: http://127.0.0.1:8090/hello/you greets, http://127.0.0.1:8090/greetings tells of each as it happens.
 *
 * ```yaml
 * plugins:
 *   http-hello: { port: 8090, greeting: hello, allowedHosts: [hello.example] }
 * ```
 *
 * @packageDocumentation
 */
import { EventEmitter } from 'node:events'
import { listener, listenerSettings, Metrics, plugin, route, service, settings, token } from 'holdfast'
import { z } from 'zod'

const schema = z.strictObject({
  ...listenerSettings(8090),
  greeting: z.string().default('hello').describe('What a visitor is told.')
})

/** Where each greeting is told of. */
const Greetings = token<EventEmitter>('http-hello-greetings')

const hello = route({
  listener: 'http-hello',
  method: 'GET',
  path: '/hello/:name',
  help: 'Greets a visitor.',
  needs: { settings: settings<typeof schema>(), metrics: Metrics, greetings: Greetings },
  handle({ settings, metrics, greetings }, _, response, { params }) {
    metrics.counter({ name: 'visits_total', help: 'Visitors who were greeted.' }).inc()
    const text = `${settings.greeting}, ${params.name}`
    greetings.emit('greeting', text)
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    response.end(`${text}\n`)
  }
})

/** Events as browsers read them (server-sent events): the answer goes on until its caller leaves or the node stops. */
const greetings = route({
  listener: 'http-hello',
  method: 'GET',
  path: '/greetings',
  help: 'Tells of every greeting.',
  needs: { greetings: Greetings },
  handle({ greetings }, _, response, { signal, stopping }) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.flushHeaders()
    const tell = (text: string) => response.write(`data: ${JSON.stringify(text)}\n\n`)
    greetings.on('greeting', tell)
    signal.addEventListener('abort', () => greetings.off('greeting', tell))
    stopping.addEventListener('abort', () => response.end())
  }
})

export default plugin({
  name: 'http-hello',
  api: '^1',
  about: 'Greets over HTTP, on a listener of its own.',
  settings: schema,
  internal: [service(Greetings, { make: () => new EventEmitter().setMaxListeners(0) })],
  listeners: [listener({ name: 'http-hello', help: 'Greetings.', needs: { at: settings<typeof schema>() }, at: ({ at }) => at })],
  routes: [hello, greetings]
})
