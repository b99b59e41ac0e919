import { messageOf } from '../../../core/index.ts'
import { hostAndPort } from '../addresses/addresses.ts'

/** Lines of addresses in one message (go-libp2p 0.33, p2p/net/swarm/dial_error.go). */
const MOST_LINES = 16

/** An address, and why it could not be dialled. */
export interface AddressFailure {
  readonly address: string
  readonly cause: string
}

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  EPERM: 'connect: operation not permitted',
  ETIMEDOUT: 'i/o timeout',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'temporary failure in name resolution'
}

/** Marks that time for an address was over. */
export const TIME_IS_OVER = 'i/o timeout'

/** Why the dial of an address failed, in the words of Go where it has some. */
export function causeOf(error: unknown, address: string): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const message = messageOf(error)
  const system = typeof code === 'string' ? SYSTEM[code] : undefined
  const isTime = message === TIME_IS_OVER || name === 'TimeoutError'
  if (system !== undefined || isTime) return `dial ${network(address)} ${hostAndPort(address) ?? address}: ${system ?? TIME_IS_OVER}`
  if (name === 'EncryptionFailedError' || name === 'UnexpectedPeerError')
    return `failed to negotiate security protocol: ${mismatch(message)}`
  const [, wanted, came] = /^Dialed peer (\w+) but connected to (\w+)$/.exec(message) ?? []
  if (came !== undefined) return `failed to negotiate security protocol: ${otherPeer(wanted!, came)}`
  if (name === 'MuxerUnavailableError') return `failed to negotiate stream multiplexer: ${message}`
  return message
}

/** Noise's words for a key that is another's, in those of Go. */
function mismatch(message: string): string {
  const [, found, expected] = /identity key (\w+) does not match expected remote identity key (\w+)/.exec(message) ?? []
  return found === undefined ? message : otherPeer(expected!, found)
}

function otherPeer(expected: string, found: string): string {
  return `peer id mismatch: expected ${expected}, but remote key matches ${found}`
}

/** The network of an address as Go names it: `tcp4`, `udp6`. */
function network(address: string): string {
  const [, version = '', protocol = 'tcp'] = /^(?:\/ip([46])\/)?.*?\/(tcp|udp)\//.exec(address) ?? []
  return `${protocol}${version}`
}

/** The message of a dial all of whose addresses failed. */
export function dialMessage(peer: string, summary: string, failures: readonly AddressFailure[]): string {
  const lines = failures.slice(0, MOST_LINES).map(({ address, cause }) => `\n  * [${address}] ${cause}`)
  const skipped = failures.length - lines.length
  return `failed to dial ${peer}: ${summary}${lines.join('')}${skipped > 0 ? `\n    ... skipping ${skipped} errors ...` : ''}`
}
