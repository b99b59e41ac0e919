import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback, isUnspecified, type ListenAddress } from '../listen/addresses.ts'
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

const LOCAL = /^[a-z0-9_.-]+\.localhost$/

function isLocalName(name: string): boolean {
  return name === 'localhost' || LOCAL.test(name) || isLoopback(name)
}
