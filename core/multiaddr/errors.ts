import { defineErrors } from '../errors.ts'

/** Errors of an address. Texts: go-multiaddr 0.12, codec.go; go-libp2p 0.33, core/peer/addrinfo.go. */
export const multiaddrErrors = defineErrors({
  E_MULTIADDR: { message: (text: string, why: string) => `failed to parse multiaddr ${text}: ${why}` },
  E_MULTIADDR_NO_PEER: { message: () => 'invalid p2p multiaddr' }
})
