import { multiaddrErrors } from './errors.ts'
import { multiaddrText, parseMultiaddr } from './parse.ts'

/** A multiaddr as the way to a peer, and the peer. */
export interface PeerAddress {
  /** The way without the peer; `''` where only the peer is named. */
  readonly transport: string
  /** base58; undefined where the last part names no peer. */
  readonly peer: string | undefined
}

/** @throws E_MULTIADDR */
export async function parsePeerAddress(text: string): Promise<PeerAddress> {
  const parts = await parseMultiaddr(text)
  const last = parts.at(-1)
  if (last?.name !== 'p2p') return { transport: multiaddrText(parts), peer: undefined }
  return { transport: multiaddrText(parts.slice(0, -1)), peer: last.value }
}

/** The same, of an address that has to name a peer. @throws E_MULTIADDR, E_MULTIADDR_NO_PEER */
export async function parseAddressOfPeer(text: string): Promise<PeerAddress & { readonly peer: string }> {
  const { transport, peer } = await parsePeerAddress(text)
  if (peer === undefined) throw multiaddrErrors.E_MULTIADDR_NO_PEER()
  return { transport, peer }
}
