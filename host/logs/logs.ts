import { type Logger as Pino, pino } from 'pino'
import { AUDIT } from '../../core/callers/index.ts'
import type { Logger, LogLevel, Logs } from '../../core/index.ts'
import { written } from './error.ts'
import { REFERENCE_SUBSYSTEMS } from './names.ts'
import { type LogFormat, type LogTarget, outputOf } from './output.ts'
import { Tail } from './tail.ts'

export interface LogOptions {
  /** Default `error`. */
  readonly level?: LogLevel
  /** Levels of single subsystems. */
  readonly levels?: ReadonlyMap<string, LogLevel>
  /** Default `json`. */
  readonly format?: LogFormat
  /** Default standard error. */
  readonly targets?: readonly LogTarget[]
}

/** Loggers of one host by subsystem. */
export class HostLogs implements Logs {
  readonly #root: Pino
  readonly #loggers = new Map<string, Pino>()
  /** Levels that were set by name, for loggers that do not exist yet too. */
  readonly #levels = new Map<string, LogLevel>()
  readonly #tails = new Set<Tail>()
  #level: LogLevel

  constructor({ level = 'error', levels = new Map(), format = 'json', targets = ['stderr'] }: LogOptions = {}) {
    const output = outputOf(targets, format)
    this.#level = level
    for (const [name, of] of levels) this.#levels.set(REFERENCE_SUBSYSTEMS.get(name) ?? name, of)
    const write = (line: string) => {
      output.write(line)
      for (const tail of this.#tails) tail.push(line)
    }
    this.#root = pino({ level, base: null, serializers: { err: written } }, { write })
  }

  get(subsystem: string): Logger {
    let logger = this.#loggers.get(subsystem)
    if (logger === undefined) {
      logger = this.#root.child({ subsystem }, { level: this.#levelOf(subsystem) })
      this.#loggers.set(subsystem, logger)
    }
    return logger
  }

  list(): string[] {
    return [...new Set([...this.#loggers.keys(), ...REFERENCE_SUBSYSTEMS.keys()])].sort()
  }

  setLevel(subsystem: string, level: LogLevel): boolean {
    if (subsystem === '*') {
      this.#level = level
      this.#levels.clear()
      for (const [name, logger] of this.#loggers) logger.level = this.#levelOf(name)
      return true
    }
    const name = this.#loggers.has(subsystem) ? subsystem : REFERENCE_SUBSYSTEMS.get(subsystem)
    if (name === undefined) return false
    this.#levels.set(name, level)
    const logger = this.#loggers.get(name)
    if (logger !== undefined) logger.level = level
    return true
  }

  level(subsystem: string): LogLevel | undefined {
    if (subsystem === '*') return this.#level
    const name = this.#loggers.has(subsystem) ? subsystem : REFERENCE_SUBSYSTEMS.get(subsystem)
    return name === undefined ? undefined : this.#levelOf(name)
  }

  /** Refusals are told where nothing else is said of them: nobody else tells the operator. */
  #levelOf(subsystem: string): LogLevel {
    const isTold = subsystem === AUDIT && (this.#level === 'error' || this.#level === 'fatal')
    return this.#levels.get(subsystem) ?? (isTold ? 'warn' : this.#level)
  }

  tail(signal?: AbortSignal): AsyncIterable<string> {
    const tail = new Tail(gone => {
      this.#tails.delete(gone)
      signal?.removeEventListener('abort', end)
    })
    const end = () => tail.end()
    this.#tails.add(tail)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
    return tail
  }

  /** Nothing is written for readers after this. */
  close(): void {
    for (const tail of this.#tails) tail.end()
  }
}
