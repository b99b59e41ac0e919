import { inject, injectable } from 'tsyringe'
import { Blockstore, Metrics, Repo, type Token, token } from '../../core/index.ts'

/** For how long the size of the repo's folder is taken as known, in milliseconds: it is found by walking it. */
const KNOWN_FOR = 60_000

/** Measures what is stored, whenever somebody looks. */
@injectable()
export class StoreReadings {
  readonly #repo: Repo | undefined
  #usage: { readonly at: number; readonly bytes: Promise<bigint> } | undefined

  constructor(@inject(Metrics) metrics: Metrics, @inject(Blockstore) store: Blockstore | undefined, @inject(Repo) repo: Repo | undefined) {
    this.#repo = repo
    const gauge = { type: 'gauge', whole: true } as const
    // a store that has no census would have to read all blocks
    const totals = store?.totals?.bind(store)
    if (totals !== undefined) {
      metrics.observed({ ...gauge, name: 'holdfast_store_blocks', help: 'Blocks that are stored.' }, async () => (await totals()).blocks)
      metrics.observed({ ...gauge, name: 'holdfast_store_bytes', help: 'Size of all blocks.' }, async () => (await totals()).bytes)
    }
    if (repo?.path !== undefined) {
      const help = "Size of the repo's folder, known for a minute."
      metrics.observed({ ...gauge, name: 'holdfast_repo_bytes', help }, async () => Number(await this.#bytes()))
    }
  }

  #bytes(): Promise<bigint> {
    if (this.#usage === undefined || Date.now() - this.#usage.at > KNOWN_FOR) {
      const bytes = this.#repo!.diskUsage()
      this.#usage = { at: Date.now(), bytes }
      // one that failed is tried again
      bytes.catch(() => {
        this.#usage = undefined
      })
    }
    return this.#usage.bytes
  }
}

export const StoreReadingsToken: Token<StoreReadings> = token<StoreReadings>('diagnostics-store-readings')
