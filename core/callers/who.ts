import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Caller } from '../contract/caller.ts'

/** Proxies by address and network: `10.0.0.7`, `fd00::/8`. */
export class Proxies {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  /** @throws TypeError for what is no address or network */
  constructor(texts: readonly string[]) {
    this.#isEmpty = texts.length === 0
    for (const text of texts) {
      const [address = '', bits, surplus] = text.split('/')
      const kind = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (isIP(address) === 0 || surplus !== undefined) throw new TypeError(`'${text}' is no IP address and no network such as 10.0.0.0/8`)
      if (bits === undefined) this.#list.addAddress(address, kind)
      else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 'ipv6' ? 128 : 32)) this.#list.addSubnet(address, Number(bits), kind)
      else throw new TypeError(`'${text}' is no network: ${address}/0 to /${kind === 'ipv6' ? 128 : 32}`)
    }
  }

  has(address: string): boolean {
    return !this.#isEmpty && isIP(address) !== 0 && this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

/**
 * The caller whose bucket a request takes from: that of its secret's name, else of its address. Behind trusted proxies that is the last address of
 * `X-Forwarded-For` that is none of them: what stands before it is only what the caller says of itself.
 *
 * @returns undefined for callers without an address: this process, and who is let use a unix socket
 */
export function whoIs({ grant, address, headers }: Caller, proxies: Proxies): string | undefined {
  if (grant?.name !== undefined) return `secret ${grant.name}`
  if (address === undefined) return undefined
  let from = plain(address)
  if (proxies.has(from)) {
    for (const hop of forwarded(headers?.['x-forwarded-for']).reverse()) {
      if (isIP(hop) === 0) break
      from = hop
      if (!proxies.has(hop)) break
    }
  }
  return `address ${networkOf(from)}`
}

function forwarded(field: string | readonly string[] | undefined): string[] {
  const text = typeof field === 'string' ? field : (field ?? []).join(',')
  return text.split(',').map(hop => plain(hop.trim()))
}

/** An address as IPv4 where it is one, without the brackets and port that some proxies write. */
function plain(address: string): string {
  if (!/[:[]/.test(address)) return address
  const bare = /^\[(.*)\](:\d+)?$/.exec(address)?.[1] ?? (/^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address)
  return bare.toLowerCase().startsWith('::ffff:') && isIP(bare.slice(7)) === 4 ? bare.slice(7) : bare
}

/** The key that an address is counted under: of IPv6 the first 64 bits, as whoever has one such address has them all; IPv4 also where IPv6 writes it. */
export function networkOf(text: string): string {
  const address = plain(text)
  if (!address.includes(':') || !isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  while (tail !== undefined && groups.length + behind.length < 8) groups.push('0')
  const first = [...groups, ...behind].slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${first.join(':')}::/64`
}

/** Whether a text names a proxy as {@link Proxies} takes it. */
export function isProxy(text: string): boolean {
  try {
    return new Proxies([text]) !== undefined
  } catch {
    return false
  }
}
