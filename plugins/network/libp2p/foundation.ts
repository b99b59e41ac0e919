import type { Connection } from '@libp2p/interface'
import type { Logger, Network, Reachability, Startable } from '../../../core/index.ts'
import type { Trimmer } from '../connections/trimmer.ts'
import type { Dialer } from '../dial/dialer.ts'
import type { ConfiguredLimits } from '../limits/limits.ts'
import type { Identified } from '../peers/identified.ts'
import type { Routers } from '../routers.ts'
import type { NetworkSettings } from '../settings.ts'
import type { Spoken } from '../streams/optimistic.ts'
import type { UnannouncedProtocols } from '../streams/unannounced.ts'
import type { Libraries } from './libraries.ts'
import type { Node } from './node.ts'

/** The parts of a network when it starts. */
export interface Foundation {
  readonly node: Node
  readonly libraries: Libraries
  readonly identified: Identified
  readonly dialer: Dialer<Connection>
  readonly limits: ConfiguredLimits
  readonly trimmer: Trimmer
  readonly routers: Routers
  readonly unannounced: UnannouncedProtocols
  readonly spoken: Spoken
  /** The fingerprint of the key of the private network that the node is in. */
  readonly fingerprint: string | undefined
  /** The configuration's word on whether others reach the node. */
  readonly forced: Reachability['forced']
  /** Opens the listeners. */
  listen(): Promise<void>
  /** The services that run beside libp2p, from the time it listens. */
  readonly beside: readonly Startable[]
}

/** The services that a network is made from. */
export interface NetworkInit {
  /** The node's own ID, base58. */
  readonly self: string
  readonly agent: string
  /** libp2p protobuf. */
  readonly publicKey: Uint8Array
  readonly settings: NetworkSettings
  readonly log: Logger
  build(network: Network): Promise<Foundation>
}
