import { defineErrors } from '../errors.ts'

/** Errors of an address. Texts: go-multiaddr 0.12, codec.go; go-libp2p 0.33, core/peer/addrinfo.go; Kubo 0.28 and Go's net. */
export const multiaddrErrors = defineErrors({
  E_MULTIADDR: { message: (text: string, why: string) => `failed to parse multiaddr ${text}: ${why}` },
  E_FILTER_FORMAT: { message: () => 'invalid multiaddr-filter format' },
  E_FILTER_RANGE: { message: (range: string) => `invalid CIDR address: ${range}` },
  E_MULTIADDR_NO_PEER: { message: () => 'invalid p2p multiaddr' }
})
