import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { goQuote } from '../../../core/go/quote.ts'
import { isLoopback, isUnspecified, type ListenAddress } from '../listen/addresses.ts'
import { rpcErrors } from '../listener-errors.ts'
import { hostName } from '../routes/host-pattern.ts'

/**
 * Which names a request may call this listener by. A page of another site can make a browser send requests here under a name that it
 * points at this machine (DNS rebinding), so only loopback names, the listener's own and listed ones count. A caller that names no host
 * is no browser and is let in.
 */
export class HostRule {
  readonly #known = new Set<string>()
  readonly #listed: ReadonlySet<string>
  readonly #any: boolean
  readonly #everywhere: boolean

  constructor({ listen, name }: ListenAddress, allowed: readonly string[]) {
    const listenHost = 'host' in listen ? [listen.host] : []
    this.#listed = new Set([...listenHost, ...(name === undefined ? [] : [name]), ...allowed].map(host => host.toLowerCase()))
    this.#any = allowed.includes('*')
    this.#everywhere = 'host' in listen && isUnspecified(listen.host)
  }

  allows(request: IncomingMessage): boolean {
    const { host } = request.headers
    if (host === undefined || host === '' || this.#any || this.#known.has(host)) return true
    const name = hostName(host)
    if (isLocalName(name) || this.#listed.has(name) || this.#listed.has(host.toLowerCase())) {
      // few names lead here, but ports of any number may follow them
      if (this.#known.size < 64) this.#known.add(host)
      return true
    }
    return this.#everywhere && isIP(name) !== 0 && name === request.socket.localAddress?.replace(/^::ffff:/, '')
  }
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i

/**
 * Why nobody can say which host a request is for: it names several, of which a proxy in front may have looked at another one than {@link HostRule},
 * or its target and its field name different ones.
 */
export function ambiguousHost({ rawHeaders, headers: { host = '' }, url = '' }: IncomingMessage): Error | undefined {
  let fields = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') fields++
  if (fields > 1) return rpcErrors.E_RPC_HOSTS()
  const [, named] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? [])
  return named === undefined || named.toLowerCase() === host.toLowerCase() ? undefined : rpcErrors.E_RPC_TARGET_HOST(goQuote(named))
}

const LOCAL = /^[a-z0-9_.-]+\.localhost$/

function isLocalName(name: string): boolean {
  return name === 'localhost' || LOCAL.test(name) || isLoopback(name)
}
