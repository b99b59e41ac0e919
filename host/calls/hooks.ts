import type { Body, Call, Caller, Command, GlobalOptions, Logger, MalformedCall, Result, RouteVisit } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { ResolvedHook } from './resolved-hook.ts'
import type { RunningCall } from './running-call.ts'

/** A call as a hook sees it: the same, but for its log. */
class CallOfHook implements Call {
  readonly kind = 'call'
  readonly log: Logger
  readonly #call: RunningCall

  constructor(call: RunningCall, log: Logger) {
    this.#call = call
    this.log = log
  }

  get command(): Command {
    return this.#call.command
  }

  get args(): Readonly<Record<string, unknown>> {
    return this.#call.args
  }

  get options(): Readonly<Record<string, unknown>> & GlobalOptions {
    return this.#call.options
  }

  get body(): Body | undefined {
    return this.#call.body
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get deadline(): number | undefined {
    return this.#call.deadline
  }

  get caller(): Caller {
    return this.#call.caller
  }
}

/** A call with its hooks around it; whose code the call is in is kept. */
export function surrounded(hooks: readonly ResolvedHook[], call: RunningCall, invoke: () => Promise<Result>): Promise<Result> {
  let next = invoke
  for (let i = hooks.length - 1; i >= 0; i--) next = around(hooks[i]!, call, next)
  return next()
}

function around({ plugin, log, run }: ResolvedHook, call: RunningCall, next: () => Promise<Result>): () => Promise<Result> {
  const inside = async () => {
    try {
      return await next()
    } finally {
      call.inside = plugin
    }
  }
  return async () => {
    call.inside = plugin
    const what = `'${call.command.path}'`
    return asResult(await run(new CallOfHook(call, log), once(inside, what, plugin)), what, plugin)
  }
}

/** A visit or a malformed call, with the hooks around it that asked for such. `what` names it in messages. */
export function surroundedBeyond(
  hooks: readonly ResolvedHook[],
  visit: Omit<MalformedCall, 'log'> | Omit<RouteVisit, 'log'>,
  what: string,
  inner: () => Promise<Result>
): Promise<Result> {
  let next = inner
  for (let i = hooks.length - 1; i >= 0; i--) {
    const { plugin, log, run } = hooks[i]!
    const inside = next
    next = async () => asResult(await run({ ...visit, log } as MalformedCall | RouteVisit, once(inside, what, plugin)), what, plugin)
  }
  return next()
}

/** What a hook goes on with: it runs once, however often it is called. @throws E_HOOK_NEXT */
function once(next: () => Promise<Result>, what: string, plugin: string): () => Promise<Result> {
  let isCalled = false
  return async () => {
    if (isCalled) throw hostErrors.E_HOOK_NEXT(what, plugin)
    isCalled = true
    return next()
  }
}

function asResult(result: Result | undefined, what: string, plugin: string): Result {
  if (typeof result?.kind !== 'string') throw hostErrors.E_HOOK_RESULT(what, plugin)
  return result
}
