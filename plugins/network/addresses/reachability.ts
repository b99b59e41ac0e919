import type { NodeAddress } from '@libp2p/interface-internal'
import type { Reachability } from '../../../core/index.ts'
import { isPublic, sorted, withoutPeer } from './addresses.ts'

/** The findings of AutoNAT about addresses. One that a peer could not dial has a time at which it is asked for again. */
export function reachabilityOf(
  addresses: ReadonlyArray<Pick<NodeAddress, 'verified' | 'expires'> & { readonly multiaddr: { toString(): string } }>
): Omit<Reachability, 'forced'> {
  const all = addresses.filter(({ multiaddr }) => isPublic(`${multiaddr}`))
  const texts = (some: typeof all) => sorted(new Set(some.map(({ multiaddr }) => withoutPeer(`${multiaddr}`))))
  return {
    reachable: texts(all.filter(({ verified }) => verified)),
    unreachable: texts(all.filter(({ verified, expires }) => !verified && expires > 0)),
    unknown: texts(all.filter(({ verified, expires }) => !verified && expires <= 0))
  }
}
