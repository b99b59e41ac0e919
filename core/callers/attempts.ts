/** Wrong secrets that an address has at once, and how fast it gets them back, a second. */
const MOST = 100
const PER_SECOND = 1
/** Addresses and, of each, right secrets that are remembered; the oldest go first. */
const ADDRESSES = 10_000
const SECRETS = 64

interface Address {
  /** Wrong secrets that are left, at the time `since`. */
  left: number
  since: number
  /** Digests of secrets that were right. Who uses one is not slowed because of others at the address. */
  readonly right: Set<string>
}

/** Wrong secrets by address: guessing is slowed to one a second, also for a right guess among them. */
export class Attempts {
  readonly #now: () => number
  readonly #addresses = new Map<string, Address>()

  /** @param now - milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether a secret is not to be looked at now. */
  isSlowed(address = '', digest: string): boolean {
    const known = this.#addresses.get(address)
    return known !== undefined && !known.right.has(digest) && this.#left(known) < 1
  }

  /** Notes a secret that was looked at. */
  note(address = '', digest: string, isRight: boolean): void {
    const known = this.#addresses.get(address) ?? { left: MOST, since: this.#now(), right: new Set() }
    if (isRight && known.right.has(digest)) return
    this.#addresses.delete(address)
    this.#addresses.set(address, known)
    if (isRight) add(known.right, digest)
    else {
      known.left = this.#left(known) - 1
      known.since = this.#now()
      known.right.delete(digest)
    }
    if (this.#addresses.size > ADDRESSES) this.#addresses.delete(this.#addresses.keys().next().value!)
  }

  #left({ left, since }: Address): number {
    return Math.min(MOST, left + ((this.#now() - since) / 1000) * PER_SECOND)
  }
}

function add(secrets: Set<string>, digest: string): void {
  secrets.add(digest)
  if (secrets.size > SECRETS) secrets.delete(secrets.values().next().value!)
}
