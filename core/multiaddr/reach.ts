import { isIPv4 } from 'node:net'

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i
const PRIVATE_4 = /^(?:10\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
const PRIVATE_6 = /^(?:::$|f[cd]|fe[89ab])/i

/** From where the host at the head of a multiaddr can be reached; `none` where it has no host. Names count as public, but for `localhost`. */
export function reachOf(address: string): 'loopback' | 'private' | 'public' | 'none' {
  const [, kind, host] = /^\/(ip[46]|dns[46]?|dnsaddr)\/([^/]+)/.exec(address) ?? []
  if (host === undefined) return 'none'
  if (kind?.startsWith('dns')) return host === 'localhost' ? 'loopback' : 'public'
  if (LOOPBACK.test(host)) return 'loopback'
  return (isIPv4(host) ? PRIVATE_4 : PRIVATE_6).test(host) ? 'private' : 'public'
}
