import { isIP, isIPv4 } from 'node:net'
import { isSpecial } from './special.ts'

/** From where an address can be reached: this machine, its network (or nowhere at all), the internet. */
export type Reach = 'loopback' | 'private' | 'public'

const LOOPBACK = /^(?:127\.|::1$)/
/** IPv4 as IPv6 writes it, mapped or for a translator (RFC 4291, RFC 6052): the two last groups. */
const IPV4_WITHIN = /^(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/

/**
 * From where the host at the head of a multiaddr can be reached; `none` where it has no host. Names count as public, but for those of this machine
 * and those that are addresses.
 */
export function reachOf(address: string): Reach | 'none' {
  const [, zone, kind, host] = /^(\/ip6zone\/[^/]+)?\/(ip[46]|dns[46]?|dnsaddr)\/([^/]+)/.exec(address) ?? []
  if (kind === undefined || host === undefined) return 'none'
  const name = kind.startsWith('dns') ? bare(host) : host
  if (/^(?:.+\.)?localhost$/.test(name)) return 'loopback'
  if (isIP(name) === 0) return 'public'
  const reach = reachOfIp(name)
  return zone !== undefined && reach === 'public' ? 'private' : reach
}

/** From where an IP address can be reached, also where IPv6 writes one of IPv4. One with a zone is never public. */
export function reachOfIp(address: string): Reach {
  const plain = plainIp(address)
  if (LOOPBACK.test(plain)) return 'loopback'
  return address.includes('%') || isSpecial(plain) ? 'private' : 'public'
}

/** An IP address in its shortest form, without a zone; that of IPv4 where IPv6 writes one. */
export function plainIp(address: string): string {
  const [ip = ''] = address.split('%')
  if (isIPv4(ip)) return ip
  const short = new URL(`http://[${ip}]/`).hostname.slice(1, -1)
  const [, high, low] = IPV4_WITHIN.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  const bits = [high, low].map(group => Number.parseInt(group, 16))
  return bits.flatMap(two => [two >> 8, two & 255]).join('.')
}

/** A name as a resolver reads it: `0x7f.1` and `2130706433` are addresses. */
function bare(name: string): string {
  const url = `http://${name}/`
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: name.toLowerCase() }
  return hostname.replace(/\.$/, '')
}
