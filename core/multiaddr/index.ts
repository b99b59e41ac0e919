/**
 * Multiaddrs: their parts, and the peers that they lead to.
 *
 * @packageDocumentation
 */
export { type Interfaces, isOfLocalNetwork } from './local-networks.ts'
export { type AddressPart, multiaddrText, parseMultiaddr } from './parse.ts'
export { type PeerAddress, parseAddressOfPeer, parsePeerAddress } from './peer.ts'
export { type AddressRange, ipOf, networkOf, originOf, parseRange, rangeOf } from './range.ts'
export { plainIp, type Reach, reachOf, reachOfIp } from './reach.ts'
export { type AskForAddresses, type AskForText, askForAddresses, askForText, resolveDnsaddr, resolveHost } from './resolve.ts'
