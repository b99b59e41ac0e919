import type { Connection } from '@libp2p/interface'
import { type KnownPeer, networkErrors } from '../../../core/index.ts'
import { bounded } from '../../../core/timing.ts'
import { isPublic, isRelayed } from '../addresses/addresses.ts'
import type { Dialer } from './dialer.ts'

/** How long a direct connection is tried in the place of a relayed one that is there, in milliseconds. */
const DIRECT_TIMEOUT = 5_000

interface DirectParts {
  readonly peer: string
  readonly connection: Connection
  /** Addresses that whoever dials has named. */
  readonly given: readonly string[]
  /** What the peer says of itself. */
  known(): Promise<KnownPeer | undefined>
  readonly signal: AbortSignal | undefined
}

/** The same connection; in the place of a relayed one a direct one, where an address leads there soon: that one ends. */
export async function directOf(dialer: Dialer<Connection>, { peer, connection, given, known, signal }: DirectParts): Promise<Connection> {
  if (connection.limits === undefined) return connection
  const said = (await known())?.addresses ?? []
  // what a peer says of itself is dialled only where it is public: else it may be another's in this network
  const addresses = dialer.promising(peer, [...given.filter(address => !isRelayed(address)), ...said.filter(isPublic)])
  if (addresses.length === 0) return connection
  const late = () => networkErrors.E_DIAL('no direct connection came about in time')
  try {
    const direct = await bounded(DIRECT_TIMEOUT, signal, late, inner => dialer.dial(peer, addresses, { signal: inner }))
    connection.close().catch(error => connection.abort(error))
    return direct
  } catch {
    signal?.throwIfAborted()
    return connection
  }
}
