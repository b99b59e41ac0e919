import { isIPv4, isIPv6 } from 'node:net'
import { multiaddrErrors } from './errors.ts'

/** Addresses whose first bits are the same. */
export interface AddressRange {
  readonly ip: string
  readonly bits: number
}

/**
 * A range as the node configuration writes it, e.g. `/ip4/10.0.0.0/ipcidr/8`.
 *
 * @throws E_FILTER_FORMAT, E_FILTER_RANGE
 */
export function parseRange(text: string): AddressRange {
  const [before, family, ip = '', kind, length = '', ...more] = text.split('/')
  const isFormed = before === '' && (family === 'ip4' || family === 'ip6') && kind === 'ipcidr' && more.length === 0
  if (!isFormed) throw multiaddrErrors.E_FILTER_FORMAT()
  const bits = Number(length)
  const isRange = (isIPv4(ip) || isIPv6(ip)) && /^\d{1,3}$/.test(length) && bits <= (isIPv4(ip) ? 32 : 128)
  if (!isRange) throw multiaddrErrors.E_FILTER_RANGE(`${ip}/${length}`)
  return { ip, bits }
}

/** The range of one address, a peer behind it left out; that of a range is itself. */
export function rangeOf(text: string): string {
  const address = text.replace(/\/(?:p2p|ipfs)\/[^/]+$/, '')
  return address.includes('/ipcidr/') ? address : `${address}/ipcidr/${address.startsWith('/ip4/') ? 32 : 128}`
}

/** The IP address that a multiaddr starts with, be it behind the zone that it is of. */
export function ipOf(address: string): string | undefined {
  return /^(?:\/ip6zone\/[^/]+)?\/ip[46]\/([^/]+)/.exec(address)?.[1]
}

/** The origin of an address, as far as it says: an address of IPv4, or the network of one of IPv6, all of whose addresses one machine may have. */
export function originOf(address: string): string {
  const ip = ipOf(address) ?? ''
  return ip.includes(':') ? `/ip6/${networkOf(ip, 64)}/ipcidr/64` : ip
}

/** The first address of a range. */
export function networkOf(ip: string, bits: number): string {
  if (isIPv4(ip)) {
    const number = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    const size = 2 ** (32 - bits)
    const first = Math.floor(number / size) * size
    return [24, 16, 8, 0].map(shift => Math.floor(first / 2 ** shift) % 256).join('.')
  }
  const parts = groups(ip).map((group, i) => {
    const kept = Math.min(16, Math.max(0, bits - i * 16))
    return (group >> (16 - kept)) << (16 - kept)
  })
  // the URL's own writing of an IPv6 address is the shortest
  return new URL(`http://[${parts.map(part => part.toString(16)).join(':')}]/`).hostname.slice(1, -1)
}

/** The eight groups of an IPv6 address. */
function groups(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split('::')
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16)))
  if (tail === undefined) return numbers(head)
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
