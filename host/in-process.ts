import { type Body, type Command, globalOptions } from '../core/index.ts'
import type { CallRequest } from './calls.ts'

/** A call from inside the process: positional values or named ones, options by declared name. */
export interface InProcessRequest {
  readonly args?: readonly unknown[] | Readonly<Record<string, unknown>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: Body
  readonly signal?: AbortSignal
}

export function requestOf(command: Command, { args = [], options = {}, body, signal }: InProcessRequest): CallRequest {
  const named: Record<string, unknown> = {}
  let at = 0
  for (const [name, { spec }] of Object.entries(command.args)) {
    const given = Array.isArray(args) ? (spec.many ? args.slice(at) : args[at++]) : (args as Record<string, unknown>)[name]
    named[name] = given ?? spec.default ?? (spec.many ? [] : undefined)
  }
  const filled: Record<string, unknown> = {}
  for (const [name, { spec }] of Object.entries({ ...globalOptions, ...command.options })) {
    filled[name] = options[name] ?? spec.default ?? (spec.many ? [] : undefined)
  }
  return { args: named, options: filled, body, signal, caller: { transport: 'process' } }
}
