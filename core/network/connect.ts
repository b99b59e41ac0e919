import { unlessAborted } from '../abort.ts'
import { messageOf } from '../errors.ts'
import type { PeerAddress } from '../multiaddr/index.ts'
import type { Logger } from '../services/host/logs.ts'
import type { Network } from '../services/network/network.ts'

/** How long connecting takes at most, and who waits for it. */
export interface ConnectOptions {
  /** Milliseconds for all of them together. */
  readonly within: number
  readonly signal: AbortSignal
  /** The log that is told of each peer that cannot be reached. */
  readonly log: Logger
}

/** The addresses that peers are told, each with the node at its end; none on a node without peers. */
export function addressesOfNode(network: Network | undefined): readonly string[] {
  return network === undefined ? [] : network.announced().map(address => `${address}/p2p/${network.self}`)
}

/**
 * Connects with peers, all at a time. One that cannot be reached is no failure.
 *
 * @throws the signal's reason
 */
export async function connectWith(
  network: Network,
  ways: ReadonlyArray<PeerAddress & { readonly peer: string }>,
  { within, signal, log }: ConnectOptions
): Promise<void> {
  const peers = new Map<string, string[]>()
  for (const { peer, transport } of ways) {
    if (peer === network.self) continue
    peers.set(peer, [...(peers.get(peer) ?? []), ...(transport === '' ? [] : [transport])])
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(within)])
  const dials = [...peers].map(async ([peer, addresses]) => {
    try {
      await unlessAborted(network.dial(peer, addresses, { signal: limit }), limit)
    } catch (error) {
      log.info(`the peer ${peer} cannot be reached: ${messageOf(error)}`)
    }
  })
  await Promise.all(dials)
  signal.throwIfAborted()
}
