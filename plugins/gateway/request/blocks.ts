import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../core/cid/index.ts'
import type { BlockSource } from '../../../core/dag/index.ts'
import {
  type BlockOptions,
  type Blocks,
  type Denylist,
  type FoundBlock,
  type RouteContext,
  refuseDeniedBlock,
  withoutDenied
} from '../../../core/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { GatewaySettings } from '../settings.ts'

/** The signal that ends all work for a request, and its trigger. */
export type Work = Pick<RouteContext, 'signal' | 'abort'>

/** The blocks of one request: each has to come within a time, and all of them within another. What is over ends the whole request. */
export class RequestBlocks implements BlockSource {
  readonly #blocks: Blocks
  readonly #settings: Pick<GatewaySettings, 'retrievalTimeoutMs' | 'requestTimeoutMs'>
  readonly #work: Work
  readonly #denylist: Denylist | undefined
  readonly #began = performance.now()

  /** @param work - ends the request; its signal is that of the blocks' options */
  constructor(blocks: Blocks, settings: Pick<GatewaySettings, 'retrievalTimeoutMs' | 'requestTimeoutMs'>, work: Work, denylist?: Denylist) {
    this.#blocks = blocks
    this.#settings = settings
    this.#work = work
    this.#denylist = denylist
  }

  // made when somebody asks for them, as answers of one block do not

  get readAll(): BlockSource['readAll'] {
    const blocks = this.#blocks
    const denylist = this.#denylist
    return (
      blocks.readAll &&
      ((cids, options) => {
        if (this.#isOver(cids[0]!)) return Promise.reject(this.#work.signal.reason)
        return denylist === undefined ? blocks.readAll!(cids, options) : this.#readAllowed(denylist, cids, options)
      })
    )
  }

  get reading(): BlockSource['reading'] {
    const blocks = this.#blocks
    return blocks.reading && (root => blocks.reading!(root))
  }

  atHand(cid: CID, options?: BlockOptions): Uint8Array | undefined {
    return this.#denylist !== undefined || this.#isOver(cid) ? undefined : this.#blocks.atHand?.(cid, options)
  }

  async get(cid: CID, options?: BlockOptions): Promise<Uint8Array> {
    const { retrievalTimeoutMs: patience } = this.#settings
    if (this.#isOver(cid)) throw this.#work.signal.reason
    if (this.#denylist !== undefined) await refuseDeniedBlock(this.#denylist, cid)
    if (patience === 0) return this.#blocks.get(cid, options)
    const timer = setTimeout(() => this.#work.abort(gatewayErrors.E_GATEWAY_TIMEOUT(cidToString(cid), patience)), patience)
    try {
      return await this.#blocks.get(cid, options)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether the request is over: ended, or out of the time that it has altogether, which ends it. */
  #isOver(cid: CID): boolean {
    const { requestTimeoutMs: most } = this.#settings
    const { signal } = this.#work
    if (most > 0 && !signal.aborted && performance.now() - this.#began > most) {
      this.#work.abort(gatewayErrors.E_GATEWAY_DURATION(cidToString(cid), most))
    }
    return signal.aborted
  }

  /** The blocks of several that are not denied; who asks for a denied one by itself is told. */
  async #readAllowed(denylist: Denylist, cids: readonly CID[], options?: BlockOptions): Promise<readonly FoundBlock[]> {
    const allowed = await withoutDenied(denylist, cids)
    const found = await this.#blocks.readAll!(allowed, options)
    const all = new Map(allowed.map((cid, i) => [cid, found[i]]))
    return cids.map(cid => all.get(cid))
  }
}
