import { Blockstore, Metrics, Repo, type Sample, type Token, token } from '../../core/index.ts'
import { within } from '../../core/timing.ts'

/** For how long the size of the repo's folder is taken as known, in milliseconds: it is found by walking it. */
const KNOWN_FOR_MS = 60_000

/** How long somebody waits for it; then there is what was known before, or nothing. */
const PATIENCE_MS = 1000

/** Measures what is stored, whenever somebody looks. */
export class StoreReadings {
  readonly #repo: Repo | undefined
  #bytes: number | undefined
  #began = Number.NEGATIVE_INFINITY
  #walk: Promise<void> = Promise.resolve()

  constructor(metrics: Metrics, store: Blockstore | undefined, repo: Repo | undefined) {
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
      metrics.observed({ ...gauge, name: 'holdfast_repo_bytes', help }, () => this.#usage())
    }
  }

  async #usage(): Promise<Sample[]> {
    if (performance.now() - this.#began > KNOWN_FOR_MS) {
      this.#began = performance.now()
      this.#walk = this.#measure()
      // whoever waits hears of it
      this.#walk.catch(() => {})
    }
    await within(PATIENCE_MS, this.#walk)
    return this.#bytes === undefined ? [] : [{ value: this.#bytes }]
  }

  async #measure(): Promise<void> {
    this.#bytes = Number(await this.#repo!.diskUsage())
  }
}

export const StoreReadingsToken: Token<StoreReadings> = token<StoreReadings>('diagnostics-store-readings')
