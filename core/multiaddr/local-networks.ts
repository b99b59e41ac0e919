import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { plainIp } from './reach.ts'

/** The interfaces of a machine, as Node.js tells them. */
export type Interfaces = () => ReturnType<typeof networkInterfaces>

/** Whether an IP address is this machine's, or one of a network that it has an address in, as these are now; public ones included. */
export function isOfLocalNetwork(address: string, interfaces: Interfaces = networkInterfaces): boolean {
  const networks = new BlockList()
  for (const { address: one, cidr, family } of Object.values(interfaces()).flatMap(found => found ?? [])) {
    const kind = family === 'IPv6' ? 'ipv6' : 'ipv4'
    const bits = Number(cidr?.split('/')[1])
    if (Number.isInteger(bits)) networks.addSubnet(one, bits, kind)
    else networks.addAddress(one, kind)
  }
  const plain = plainIp(address)
  return networks.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}
