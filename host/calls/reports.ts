import { type Command, type Logger, messageOf } from '../../core/index.ts'
import { isDefect } from '../defect.ts'
import type { RunningCall } from './running-call.ts'
import type { CallableCommand } from './table.ts'

/** Reports to plugins' authors about calls that failed: each error once. */
export class Reports {
  readonly #log: Logger
  /** Errors that the log has. */
  readonly #told = new WeakSet<object>()

  constructor(log: Logger) {
    this.#log = log
  }

  failed({ command, plugin }: CallableCommand, call: RunningCall, error: unknown): void {
    if (isDefect(error)) this.tell(call.inside, command, error)
    else if (call.over && call.inside !== plugin)
      this.#log.warn(`'${command.path}' was given up while a hook of plugin '${call.inside}' had not answered`)
  }

  tell(plugin: string, { path }: Command, error: unknown): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#told.has(error)) return
      this.#told.add(error)
    }
    this.#log.error({ err: error }, `plugin '${plugin}' failed in '${path}': ${messageOf(error)}`)
  }
}
