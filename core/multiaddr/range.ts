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
