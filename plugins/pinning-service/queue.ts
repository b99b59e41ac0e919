import type { RequestId } from './requests/request.ts'

/** Requests that wait: those of one client in their order, the clients in turn, so that nobody waits for all that another asks for. */
export class Queue {
  /** The client whose turn is next is the first. */
  readonly #clients = new Map<string, Set<string>>()

  push({ owner, id }: RequestId): void {
    const ids = this.#clients.get(owner)
    if (ids === undefined) this.#clients.set(owner, new Set([id]))
    else ids.add(id)
  }

  /** @returns whether it was there */
  drop({ owner, id }: RequestId): boolean {
    const ids = this.#clients.get(owner)
    const wasThere = ids?.delete(id) === true
    if (ids?.size === 0) this.#clients.delete(owner)
    return wasThere
  }

  has({ owner, id }: RequestId): boolean {
    return this.#clients.get(owner)?.has(id) === true
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  /** The client whose turn it is: among those of which the fewest are worked on, the one that has waited longest. */
  next(worked: (owner: string) => number): string | undefined {
    const [first, ...others] = this.#clients.keys()
    if (first === undefined) return undefined
    return others.reduce((fewest, owner) => (worked(owner) < worked(fewest) ? owner : fewest), first)
  }

  /** Takes the first of a client that waits. */
  take(owner: string): RequestId {
    const ids = this.#clients.get(owner)!
    const [id] = ids
    ids.delete(id!)
    this.#clients.delete(owner)
    if (ids.size > 0) this.#clients.set(owner, ids)
    return { owner, id: id! }
  }
}
