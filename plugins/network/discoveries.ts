import { type Logger, messageOf, type PeerDiscovery } from '../../core/index.ts'

type Found = Parameters<PeerDiscovery['discover']>[0]

/** The discoveries that find peers by themselves, for as long as the network runs. */
export class Discoveries {
  readonly #found: Found
  readonly #log: Logger
  readonly #all = new Map<PeerDiscovery, AbortController | undefined>()
  #runs = false

  constructor(found: Found, log: Logger) {
    this.#found = found
    this.#log = log
  }

  add(discovery: PeerDiscovery): () => void {
    this.#all.set(discovery, undefined)
    if (this.#runs) this.#run(discovery)
    return () => {
      this.#all.get(discovery)?.abort()
      this.#all.delete(discovery)
    }
  }

  start(): void {
    this.#runs = true
    for (const discovery of this.#all.keys()) this.#run(discovery)
  }

  stop(): void {
    this.#runs = false
    for (const [discovery, controller] of this.#all) {
      controller?.abort()
      this.#all.set(discovery, undefined)
    }
  }

  #run(discovery: PeerDiscovery): void {
    const controller = new AbortController()
    this.#all.set(discovery, controller)
    const { signal } = controller
    const run = async () => discovery.discover(peer => void (signal.aborted || this.#found(peer)), signal)
    run().catch(error => {
      if (!signal.aborted) this.#log.warn(`peers are not found any more by one of the discoveries: ${messageOf(error)}`)
    })
  }
}
