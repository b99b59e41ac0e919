import { lookup } from 'node:dns/promises'
import { type AddressInfo, BlockList, isIP, isIPv6 } from 'node:net'
import { messageOf } from '../../../core/index.ts'
import { rpcErrors } from '../listener-errors.ts'

/** Where a listener opens. */
export interface ListenAddress {
  /** The multiaddr as it was configured. */
  readonly text: string
  /** The options of Node's `listen`. */
  readonly listen: { readonly host: string; readonly port: number } | { readonly path: string }
  /** The name that was configured instead of an IP address. */
  readonly name: string | undefined
  /** Whether only this machine reaches it. */
  readonly local: boolean
}

const NAMES = new Set(['dns', 'dns4', 'dns6', 'dnsaddr'])

/** @throws E_RPC_ADDRESS */
export async function listenAddress(text: string): Promise<ListenAddress> {
  if (text.startsWith('/unix/')) return { text, listen: { path: socketPath(text.slice('/unix'.length)) }, name: undefined, local: true }
  const parts = await componentsOf(text)
  const [first, second] = parts
  const protocols = parts.slice(2).map(part => part.name)
  if (second?.name !== 'tcp' || protocols.some(name => name !== 'http')) throw rpcErrors.E_RPC_ADDRESS(text, 'it is no TCP or Unix address')
  const port = Number(second.value)
  const host = first?.value ?? ''
  if (first !== undefined && NAMES.has(first.name)) return named(text, host, port, first.name)
  if (isIP(host) === 0) throw rpcErrors.E_RPC_ADDRESS(text, 'it names no IP address')
  return { text, listen: { host, port }, name: undefined, local: isLoopback(host) }
}

async function named(text: string, name: string, port: number, protocol: string): Promise<ListenAddress> {
  const family = protocol === 'dns4' ? 4 : protocol === 'dns6' ? 6 : 0
  const { address } = await lookup(name, { family }).catch(error => {
    throw rpcErrors.E_RPC_ADDRESS(text, messageOf(error))
  })
  return { text, listen: { host: address, port }, name, local: isLoopback(address) }
}

async function componentsOf(text: string): Promise<ReadonlyArray<{ name: string; value?: string }>> {
  // the usual form needs no library, whose import costs a start more than all other work on addresses
  const [, name, value = '', port] = /^\/(ip4|ip6)\/([^/]+)\/tcp\/(\d{1,5})$/.exec(text) ?? []
  if (name !== undefined && isIP(value) === (name === 'ip4' ? 4 : 6) && Number(port) < 65_536) {
    return [
      { name, value },
      { name: 'tcp', value: port }
    ]
  }
  try {
    const { multiaddr } = await import('@multiformats/multiaddr')
    return multiaddr(text).getComponents()
  } catch (error) {
    throw rpcErrors.E_RPC_ADDRESS(text, messageOf(error))
  }
}

/** The path behind `/unix`: as it is, or with its slashes escaped so that it is one word. */
function socketPath(text: string): string {
  return text.startsWith('/%2F') ? decodeURIComponent(text.slice(1)) : text
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an IP address is one that only this machine reaches; also one mapped into IPv6. */
export function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Whether an IP address stands for all interfaces. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || (isIPv6(address) && /^[0:]+$/.test(address))
}

/** The multiaddr of a listener once its port is known. */
export function openAddress({ listen }: ListenAddress, socketAddress: AddressInfo | string | null): string {
  if (typeof socketAddress === 'string') return `/unix${socketAddress}`
  if (socketAddress === null) return 'path' in listen ? `/unix${listen.path}` : ''
  return `/${isIPv6(socketAddress.address) ? 'ip6' : 'ip4'}/${socketAddress.address}/tcp/${socketAddress.port}`
}
