import { ipOf, reachOfIp } from '../../../core/multiaddr/index.ts'

/** A multiaddr without the peer at its end. */
export function withoutPeer(address: string): string {
  return address.replace(/\/p2p\/[^/]+$/, '')
}

export function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** `127.0.0.1:4001`, `[::1]:4001`, of an address that starts with a host and a port; undefined for others. */
export function hostAndPort(address: string): string | undefined {
  const [, family, host, , port] = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/(tcp|udp)\/(\d+)/.exec(address) ?? []
  if (host === undefined) return undefined
  return family === 'ip6' ? `[${host}]:${port}` : `${host}:${port}`
}

/** Whether a multiaddr can only be reached from near: loopback, a private network, a link. */
export function isPrivate(address: string): boolean {
  const ip = ipOf(address)
  return ip !== undefined && reachOfIp(ip) !== 'public'
}

export function isRelayed(address: string): boolean {
  return address.includes('/p2p-circuit')
}

/** Whether anybody on the internet could reach it, as far as the address says. */
export function isPublic(address: string): boolean {
  return !isRelayed(address) && !isPrivate(address) && !/^\/(?:memory|unix)\//.test(address) && address !== ''
}
