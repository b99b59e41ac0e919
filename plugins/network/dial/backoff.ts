/** How long an address that failed is tried behind others, in milliseconds: at first, more for each failure by its square, and at most (go-libp2p 0.33, swarm_dial.go). */
const [FIRST, MORE, LONGEST] = [5_000, 1_000, 300_000]

/** Addresses that are remembered; of more, those that failed the longest ago are forgotten. */
export const MOST_FAILED = 4_096

interface Failed {
  readonly failures: number
  /** When it is as good as any other again, in milliseconds. */
  readonly until: number
}

const timeAfter = (failures: number) => Math.min(FIRST + MORE * failures ** 2, LONGEST)

/** Addresses of peers whose dials failed of late. */
export class Backoff {
  readonly #all = new Map<string, Failed>()
  readonly #now: () => number

  /** @param now - milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  has(address: string): boolean {
    return (this.#all.get(address)?.until ?? 0) > this.#now()
  }

  failed(address: string): void {
    const now = this.#now()
    const before = this.#all.get(address)
    // one that did well for as long again begins anew
    const failures = before !== undefined && now < before.until + timeAfter(before.failures) ? before.failures : 0
    this.#all.delete(address)
    this.#all.set(address, { failures: failures + 1, until: now + timeAfter(failures) })
    if (this.#all.size > MOST_FAILED) this.#all.delete(this.#all.keys().next().value!)
  }

  worked(address: string): void {
    this.#all.delete(address)
  }
}
