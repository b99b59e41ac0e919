import { isIPv4 } from 'node:net'

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

/** The IP address that a multiaddr starts with. */
export function ipOf(address: string): string | undefined {
  return /^\/ip[46]\/([^/]+)/.exec(address)?.[1]
}

const PRIVATE_4 = /^(?:10\.|127\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
const PRIVATE_6 = /^(?:::1?$|f[cd]|fe[89ab])/i

/** Whether a multiaddr can only be reached from near: loopback, a private network, a link. */
export function isPrivate(address: string): boolean {
  const ip = ipOf(address)
  if (ip === undefined) return false
  return isIPv4(ip) ? PRIVATE_4.test(ip) : PRIVATE_6.test(ip)
}

export function isRelayed(address: string): boolean {
  return address.includes('/p2p-circuit')
}

/** Whether anybody on the internet could reach it, as far as the address says. */
export function isPublic(address: string): boolean {
  return !isRelayed(address) && !isPrivate(address) && !/^\/(?:memory|unix)\//.test(address) && address !== ''
}
