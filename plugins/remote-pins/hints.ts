import { type Blocks, type CID, type Logger, type Network, type Token, token } from '../../core/index.ts'
import { parseAddressOfPeer } from '../../core/multiaddr/index.ts'
import { addressesOfNode, connectWith } from '../../core/network/index.ts'
import type { RemotePinSettings } from './settings.ts'

/** Addresses of a service's peers that are tried. */
const MOST_DELEGATES = 32

interface HintsParts {
  /** undefined on a node without peers. */
  readonly network: Network | undefined
  readonly blocks: Pick<Blocks, 'has'>
  readonly settings: Pick<RemotePinSettings, 'delegateTimeout'>
  readonly log: Logger
}

/** The hints by which node and service find the content: origins, which are this node's addresses, and delegates, peers of the service. */
export class ProviderHints {
  readonly #parts: HintsParts

  constructor(parts: HintsParts) {
    this.#parts = parts
  }

  /** This node's own addresses, each with the node at its end; none on a node without peers. */
  ofNode(): readonly string[] {
    return addressesOfNode(this.#parts.network)
  }

  /** The same where the root of the content is stored here. */
  async of(root: CID, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.#parts.blocks.has(root, { signal })) ? this.ofNode() : []
  }

  /**
   * Connects with the peers of a service, who fetch from whom they are connected with. One that cannot be reached is no failure, and nothing
   * waits longer than `delegateTimeout`.
   *
   * @throws E_MULTIADDR, E_MULTIADDR_NO_PEER for an address that leads to no peer
   */
  async connect(delegates: readonly string[], signal: AbortSignal): Promise<void> {
    const { network, settings, log } = this.#parts
    const ways = await Promise.all(delegates.slice(0, MOST_DELEGATES).map(parseAddressOfPeer))
    if (network !== undefined) await connectWith(network, ways, { within: settings.delegateTimeout, signal, log })
  }
}

export const ProviderHintsToken: Token<ProviderHints> = token<ProviderHints>('provider-hints')
