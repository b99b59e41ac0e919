import { setTimeout as delay } from 'node:timers/promises'
import { parseDuration } from '../../core/go/index.ts'
import { type CID, type Logger, type Mfs, messageOf, type Repo, type Startable, type Token, token } from '../../core/index.ts'
import { PIN_STATUSES } from './client/answers.ts'
import type { RemoteService } from './client/remote-service.ts'
import type { ProviderHints } from './hints.ts'
import type { ConfiguredService, RemoteServices } from './services.ts'

/** The least time between two pins where a policy says none, in milliseconds (Kubo 0.28, cmd/ipfs/kubo/pinmfs.go). */
const USUAL_INTERVAL = 300_000

interface MfsPolicyParts {
  readonly services: RemoteServices
  readonly mfs: Pick<Mfs, 'stat'>
  readonly repo: Pick<Repo, 'identity'>
  readonly hints: Pick<ProviderHints, 'ofNode'>
  /** How often the tree is looked at, in milliseconds. */
  readonly every: number
  readonly log: Logger
}

/** The CID that a service was last seen to have, or asked for. */
interface Last {
  /** The service's configuration then: with another one it is asked again. */
  readonly configured: string
  readonly cid: CID
  /** Whether the service had it by then. It may fail to pin what it was only asked for. */
  readonly isPinned: boolean
  /** Milliseconds, of the clock that only goes on. */
  readonly at: number
}

/**
 * The policy `Pinning.RemoteServices.NAME.Policies.MFS`: the root of the mutable tree is pinned at a service whenever it has changed, in the
 * place of the one before. What fails is logged, and tried again the next time.
 */
export class MfsPolicies implements Startable {
  readonly #parts: MfsPolicyParts
  readonly #over = new AbortController()
  readonly #last = new Map<string, Last>()
  #done: Promise<void> = Promise.resolve()

  constructor(parts: MfsPolicyParts) {
    this.#parts = parts
  }

  start(): void {
    this.#done = this.#periodically()
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#done
  }

  async #periodically(): Promise<void> {
    const { every, log } = this.#parts
    const { signal } = this.#over
    for (;;) {
      await delay(every, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      try {
        await this.#pass(signal)
      } catch (error) {
        if (!signal.aborted) log.error(`pinning the mutable tree at services failed: ${messageOf(error)}`)
      }
    }
  }

  /** Looks at the tree once, and asks those services that have another one. */
  async #pass(signal: AbortSignal): Promise<void> {
    const { services, mfs, log } = this.#parts
    const wanting = [...services.list()].filter(([, { Policies }]) => Policies.MFS.Enable)
    for (const name of this.#last.keys()) if (!wanting.some(([wanted]) => wanted === name)) this.#last.delete(name)
    if (wanting.length === 0) return
    const { cid } = await mfs.stat('/', { signal })
    const pins = wanting.map(async ([name, configured]) => {
      try {
        if (!this.#isDue(name, configured, cid)) return
        const isPinned = await this.#pin(services.open(configured, signal), configured, cid)
        this.#last.set(name, { configured: JSON.stringify(configured), cid, isPinned, at: performance.now() })
      } catch (error) {
        if (!signal.aborted) log.error(`pinning the mutable tree at the service '${name}' failed: ${messageOf(error)}`)
      }
    })
    await Promise.all(pins)
  }

  #isDue(name: string, configured: ConfiguredService, cid: CID): boolean {
    const last = this.#last.get(name)
    if (last === undefined || last.configured !== JSON.stringify(configured)) return true
    return !(last.isPinned && last.cid.equals(cid)) && performance.now() - last.at >= intervalOf(configured)
  }

  /**
   * Nothing where the service has this root under the policy's name, or is at it; otherwise in the place of the pin of that name, where there is one.
   *
   * @returns whether the service has it
   */
  async #pin(service: RemoteService, { Policies }: ConfiguredService, cid: CID): Promise<boolean> {
    const { repo, hints, log } = this.#parts
    const name = Policies.MFS.PinName === '' ? `policy/${repo.identity.peerId}/mfs` : Policies.MFS.PinName
    let before: string | undefined
    for await (const pin of service.list({ name, statuses: PIN_STATUSES })) {
      if (pin.cid.equals(cid) && pin.status !== 'failed') return pin.status === 'pinned'
      before ??= pin.requestId
    }
    const wanted = { cid, name, origins: hints.ofNode() }
    const { status } = await (before === undefined ? service.add(wanted) : service.replace(before, wanted))
    log.info(`the mutable tree is pinned as ${cid} under the name '${name}'`)
    return status === 'pinned'
  }
}

/** Milliseconds. @throws what the duration of a policy does that is none */
function intervalOf({ Policies }: ConfiguredService): number {
  const { RepinInterval } = Policies.MFS
  return RepinInterval === '' ? USUAL_INTERVAL : Number(parseDuration(RepinInterval) / 1_000_000n)
}

export const MfsPoliciesToken: Token<MfsPolicies> = token<MfsPolicies>('mfs-policies')
