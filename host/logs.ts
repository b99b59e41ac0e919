import { type Logger as Pino, pino } from 'pino'
import type { Logger, LogLevel, Logs } from '../core/index.ts'

/** Loggers of one host by subsystem, all writing JSON lines to standard error. */
export class HostLogs implements Logs {
  readonly #root: Pino
  readonly #loggers = new Map<string, Pino>()

  constructor(level: LogLevel) {
    this.#root = pino({ level, base: null }, pino.destination({ fd: 2, sync: true }))
  }

  get(subsystem: string): Logger {
    let logger = this.#loggers.get(subsystem)
    if (logger === undefined) {
      logger = this.#root.child({ subsystem })
      this.#loggers.set(subsystem, logger)
    }
    return logger
  }

  list(): string[] {
    return [...this.#loggers.keys()].sort()
  }

  setLevel(subsystem: string, level: LogLevel): boolean {
    const chosen = subsystem === '*' ? [...this.#loggers.values()] : [this.#loggers.get(subsystem)]
    for (const logger of chosen) {
      if (logger === undefined) return false
      logger.level = level
    }
    return true
  }
}
