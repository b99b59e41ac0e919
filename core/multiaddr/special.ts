import { BlockList, isIPv6 } from 'node:net'

/** Addresses that mean this machine, its network, or nobody: no place of the public network (IANA special-purpose registries). */
const SPECIAL: ReadonlyArray<readonly [network: string, bits: number]> = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8]
]

const special = new BlockList()
for (const [network, bits] of SPECIAL) special.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4')

/** Whether an address of IPv4 or IPv6, without a zone, is none of the public network. */
export function isSpecial(address: string): boolean {
  return special.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
