import { Log, Logs, route } from '../../../core/index.ts'
import { flow } from './respond.ts'

export const logsRoute = route({
  listener: 'rpc',
  method: '*',
  path: '/logs',
  help: 'Follow the log, as log/tail does.',
  access: 'admin',
  needs: { logs: Logs, log: Log },
  async handle({ logs, log }, { method }, response, { signal }) {
    const head = { 'Content-Type': 'text/plain; charset=utf-8' }
    if (method === 'HEAD') {
      response.writeHead(200, head).end()
      return
    }
    await flow(response, head, logs.tail(signal), { signal, log })
  }
})
