import { setTimeout as delay } from 'node:timers/promises'
import type { CID, CountOptions, Router, RoutingEvent, RoutingOptions } from '../../core/index.ts'
import type { MemberPlan, RoutingMethod } from '../../core/network/index.ts'
import { withinTime } from '../../core/network/index.ts'
import { merged } from './merged.ts'

/** How long a composed way takes at most, where nobody says so, in milliseconds. */
const LONGEST = 3_600_000

type Run = (router: Router, options: CountOptions) => AsyncIterable<RoutingEvent> | undefined

/** A member with its way. */
interface Member extends Omit<MemberPlan, 'router'> {
  readonly router: Router
}

/** Several ways as one: one after the other until one finds something, or all at once (Kubo 0.28, docs/delegated-routing). */
export class ComposedRouter implements Router {
  readonly name: string
  readonly #members: readonly Member[]
  readonly #isSequential: boolean
  readonly #timeout: number

  constructor(
    name: string,
    members: readonly Member[],
    { sequential, timeout = LONGEST }: { sequential: boolean; timeout?: number | undefined }
  ) {
    this.name = name
    this.#members = members
    this.#isSequential = sequential
    this.#timeout = timeout
  }

  findPeer(peer: string, options?: RoutingOptions): AsyncIterable<RoutingEvent> {
    return this.#all((router, inner) => router.findPeer?.(peer, inner), options)
  }

  findProviders(cid: CID, options?: CountOptions): AsyncIterable<RoutingEvent> {
    return this.#all((router, inner) => router.findProviders?.(cid, inner), options)
  }

  provide(cid: CID, options?: RoutingOptions): AsyncIterable<RoutingEvent> {
    return this.#all((router, inner) => router.provide?.(cid, inner), options)
  }

  getValue(key: Uint8Array, options?: CountOptions): AsyncIterable<RoutingEvent> {
    return this.#all((router, inner) => router.getValue?.(key, inner), options)
  }

  putValue(key: Uint8Array, value: Uint8Array, options?: RoutingOptions): AsyncIterable<RoutingEvent> {
    return this.#all((router, inner) => router.putValue?.(key, value, inner), options)
  }

  async *#all(run: Run, options: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    yield* withinTime(this.#timeout, options.signal, signal =>
      this.#isSequential
        ? this.#oneByOne(run, { ...options, signal })
        : merged(this.#members.map(member => ofMember(member, run, { ...options, signal })))
    )
  }

  async *#oneByOne(run: Run, options: CountOptions): AsyncGenerator<RoutingEvent> {
    for (const member of this.#members) {
      let found = false
      for await (const event of ofMember(member, run, options)) {
        found ||= event.type === 'provider' || event.type === 'peer' || event.type === 'value'
        yield event
      }
      if (found) return
    }
  }
}

async function* ofMember(
  { router, timeout, ignoreErrors, executeAfter }: Member,
  run: Run,
  options: CountOptions
): AsyncGenerator<RoutingEvent> {
  if (executeAfter > 0) await delay(executeAfter, undefined, { signal: options.signal })
  const attempt = async function* (signal: AbortSignal) {
    yield* run(router, { ...options, signal }) ?? []
  }
  try {
    yield* withinTime(timeout > 0 ? timeout : LONGEST, options.signal, attempt)
  } catch (error) {
    if (!ignoreErrors || options.signal?.aborted) throw error
  }
}

/** A way whose methods go different ways each, as `Routing.Methods` has it. */
export function byMethod(routers: Readonly<Record<RoutingMethod, Router>>): Router {
  return {
    name: 'custom',
    findPeer: (peer, options) => routers['find-peers'].findPeer?.(peer, options) ?? nothing(),
    findProviders: (cid, options) => routers['find-providers'].findProviders?.(cid, options) ?? nothing(),
    provide: (cid, options) => routers.provide.provide?.(cid, options) ?? nothing(),
    getValue: (key, options) => routers['get-ipns'].getValue?.(key, options) ?? nothing(),
    putValue: (key, value, options) => routers['put-ipns'].putValue?.(key, value, options) ?? nothing()
  }
}

async function* nothing(): AsyncGenerator<RoutingEvent> {}
