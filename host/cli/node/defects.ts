import { messageOf, readable, stackOf } from '../../../core/errors.ts'
import { type NodeHost } from '../../host.ts'
import { beganBy } from '../../plugins/left.ts'

/** Errors of a connection, its other end, or the way there. */
const OF_CONNECTIONS: ReadonlySet<unknown> = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
  ...['EAI_AGAIN', 'ENOTFOUND']
])

/** Whether an error is that of one connection, told by Node.js itself: nobody's code was under way, and the connection is closed by then. */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !OF_CONNECTIONS.has((error as NodeJS.ErrnoException).code)) return false
  const frames = stackOf(error)
    .split('\n')
    .filter(line => line.startsWith('    at '))
  return frames.every(frame => frame.includes('node:'))
}

interface DefectOptions {
  readonly host: Pick<NodeHost, 'configuration' | 'onFailure' | 'culpritOf' | 'logs'>
  /** Stops the node; for a plugin of which the configuration says that its failure ends the node. */
  stop(): void
  /** Ends the process at once, for an error that nobody can be held to: what state it left is unknown. */
  end(error: unknown): void
}

/**
 * The end of errors that nobody caught, in the process of a daemon or of a command that runs without one. A rejected promise ends no node, nor does a
 * connection that fails. An exception out of a plugin's timer or event handler ends none either, unless `onFailure` says `abort` for that plugin; any other exception does.
 */
export class Defects {
  readonly #options: DefectOptions

  constructor(options: DefectOptions) {
    this.#options = options
  }

  /** Takes both events of this process. @returns what lets go of them */
  watch(): () => void {
    const rejected = (reason: unknown) => this.rejected(readable(reason))
    const thrown = (error: unknown) => this.thrown(readable(error))
    process.on('unhandledRejection', rejected).on('uncaughtException', thrown)
    return () => void process.off('unhandledRejection', rejected).off('uncaughtException', thrown)
  }

  rejected(reason: unknown): void {
    const plugin = this.#options.host.culpritOf(reason)
    const whose = plugin === undefined ? '' : ` of plugin '${plugin}'`
    this.#log(reason, `a promise${whose} was rejected and nobody listened: ${messageOf(reason)}`)
    if (plugin !== undefined) this.#stopFor(plugin)
  }

  thrown(error: unknown): void {
    if (isOfConnection(error)) {
      const plugin = this.#options.host.culpritOf(error) ?? beganBy()
      const whose = plugin === undefined ? '' : ` of plugin '${plugin}'`
      this.#log(error, `a connection${whose} failed and nobody listened to its 'error': ${messageOf(error)}`)
      if (plugin !== undefined) this.#stopFor(plugin)
      return
    }
    const plugin = this.#options.host.culpritOf(error)
    if (plugin === undefined) this.#options.end(error)
    else {
      this.#log(error, `plugin '${plugin}' threw where nobody catches, in a timer or an event handler: ${messageOf(error)}`)
      this.#stopFor(plugin)
    }
  }

  #stopFor(plugin: string): void {
    const { host } = this.#options
    // the default is about plugins that do not start
    if (host.configuration.onFailure === undefined || host.onFailure(plugin) !== 'abort') return
    host.logs.get('host').error(`onFailure of plugin '${plugin}' is abort: the node stops`)
    this.#options.stop()
  }

  #log(error: unknown, message: string): void {
    this.#options.host.logs.get('host').error({ err: error }, message)
  }
}
