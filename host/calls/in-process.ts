import { didYouMean } from '../../config/host/suggest.ts'
import { type Body, type CallerWords, type CallRequest, type Calls, type Command, globalOptions, type Result } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'

/** A call from inside the process: positional values or named ones, options by declared name. */
export interface InProcessRequest {
  readonly args?: readonly unknown[] | Readonly<Record<string, unknown>>
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: Body
  readonly signal?: AbortSignal
}

function requestOf(command: Command, { args = [], options = {}, body, signal }: InProcessRequest): CallRequest {
  const named: Record<string, unknown> = {}
  let at = 0
  for (const [name, { spec }] of Object.entries(command.args)) {
    const given = Array.isArray(args) ? (spec.many ? args.slice(at) : args[at++]) : (args as Record<string, unknown>)[name]
    named[name] = given ?? spec.default ?? (spec.many ? [] : undefined)
    const missing = spec.many ? (named[name] as readonly unknown[]).length === 0 : named[name] === undefined
    if (missing && !spec.optional) throw hostErrors.E_CALL_ARGUMENT(command.path, spec.wireName ?? name)
  }
  const known = { ...globalOptions, ...command.options }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) throw hostErrors.E_CALL_OPTION(command.path, name, didYouMean(name, Object.keys(known)))
  }
  if (command.body?.required && body === undefined) throw hostErrors.E_CALL_BODY(command.path, command.body.name)
  const filled: Record<string, unknown> = {}
  for (const [name, { spec }] of Object.entries(known)) {
    filled[name] = options[name] ?? spec.default ?? (spec.many ? [] : undefined)
  }
  return { args: named, options: filled, body, signal, caller: { transport: 'process' } }
}

/** The value that an in-process caller gets of a result. */
function outcome(result: Result): unknown {
  switch (result.kind) {
    case 'value':
      return result.value
    case 'stream':
      return result.items
    case 'bytes':
      return result.bytes
    case 'nothing':
      return undefined
  }
}

/** The request of an in-process caller, whose words are the values themselves. */
export function wordsOfValues(args: Readonly<Record<string, unknown>>, options: Readonly<Record<string, unknown>>): CallerWords {
  return {
    options,
    get words() {
      const given = Object.values(args).flat()
      return given.filter(value => value !== undefined).map(String)
    }
  }
}

/** @throws E_NO_COMMAND, what is wrong with the request, and what the command answers */
export async function callInProcess(calls: Calls, path: string, request: InProcessRequest): Promise<unknown> {
  const command = calls.find(path)
  if (command === undefined) {
    const off = calls.whyOff(path)
    throw hostErrors.E_NO_COMMAND(path, off === undefined ? '' : `: ${off}`)
  }
  return outcome(await calls.run(command, requestOf(command, request)))
}
