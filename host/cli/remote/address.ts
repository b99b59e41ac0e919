import type { RequestOptions } from 'node:http'
import { cliErrors } from '../errors.ts'

/** Where a node's RPC is. */
export interface ApiAddress {
  readonly text: string
  readonly secure: boolean
  /** The connection that a request needs to get there. */
  readonly target: Pick<RequestOptions, 'hostname' | 'port' | 'socketPath' | 'family'>
}

/**
 * An address as people write it: a multiaddr (`/ip4/127.0.0.1/tcp/5001`, `/dns/node.example/tcp/443/https`, `/unix/run/holdfast.sock`), a
 * URL, or `host:port`.
 *
 * @throws E_API_ADDRESS
 */
export function apiAddress(text: string): ApiAddress {
  if (text.startsWith('/unix/')) {
    const path = text.slice('/unix'.length)
    return { text, secure: false, target: { socketPath: /^\/[^/]*%2f/i.test(path) ? decodeURIComponent(path.slice(1)) : path } }
  }
  const [, protocol, host, port, protocols = ''] =
    /^\/(ip4|ip6|dns|dns4|dns6|dnsaddr)\/([^/]+)\/tcp\/(\d+)((?:\/[a-z]+)*)\/?$/.exec(text) ?? []
  if (host !== undefined) {
    const secure = protocols.split('/').some(word => word === 'https' || word === 'tls')
    const family = protocol?.endsWith('4') ? 4 : protocol?.endsWith('6') ? 6 : undefined
    return { text, secure, target: { hostname: host, port, family } }
  }
  const url = text.startsWith('/') ? undefined : urlOf(text)
  if (url === undefined) throw cliErrors.E_API_ADDRESS(text)
  const secure = url.protocol === 'https:'
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { text, secure, target: { hostname: name, port: url.port === '' ? (secure ? 443 : 80) : url.port } }
}

function urlOf(text: string): URL | undefined {
  const full = text.includes('://') ? text : `http://${text}`
  return /^https?:\/\//.test(full) && URL.canParse(full) ? new URL(full) : undefined
}
