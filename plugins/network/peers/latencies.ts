/** How much a new round trip counts against those before (go-libp2p 0.33, p2p/host/peerstore/metrics.go). */
const SMOOTHING = 0.1

/** Round trips of peers that are connected. */
export class Latencies {
  readonly #peers = new Map<string, number>()

  /** @param milliseconds - one round trip */
  record(peer: string, milliseconds: number): void {
    const before = this.#peers.get(peer)
    this.#peers.set(peer, before === undefined ? milliseconds : before + SMOOTHING * (milliseconds - before))
  }

  of(peer: string): number | undefined {
    return this.#peers.get(peer)
  }

  forget(peer: string): void {
    this.#peers.delete(peer)
  }
}
