import { isIPv4, isIPv6 } from 'node:net'
import type { ProtocolCodec } from '@multiformats/multiaddr'
import { codecByName } from '../cid/codecs.ts'
import { parseCid } from '../cid/parse.ts'
import { messageOf } from '../errors.ts'
import { parseInteger } from '../go/number.ts'
import { goQuote } from '../go/quote.ts'
import { trimRight } from '../go/trim.ts'
import { parsePeerId, peerIdString } from '../keys/peer-id.ts'
import { multiaddrErrors } from './errors.ts'

/** A part of a multiaddr: `/tcp/4001`, `/quic-v1`. */
export interface AddressPart {
  readonly name: string
  /** The value as the protocol writes it itself: `::1`, `12D3KooW…`; undefined for a protocol without. */
  readonly value: string | undefined
}

const PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'dccp', 'sctp'])

/**
 * The parts of a multiaddr; `/ipfs/…` counts as `/p2p/…`.
 *
 * @throws E_MULTIADDR, in the words of go-multiaddr 0.12
 */
export async function parseMultiaddr(text: string): Promise<AddressPart[]> {
  // the library is only needed for this, and its import takes longer than most starts
  const { registry } = await import('@multiformats/multiaddr')
  const refused = (why: string) => multiaddrErrors.E_MULTIADDR(goQuote(text), why)
  const [before, ...words] = trimRight(text, '/').split('/')
  if (before !== '') throw refused('must begin with /')
  if (words.length === 0) throw refused('empty multiaddr')
  const parts: AddressPart[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const codec = codecOf(word, name => registry.getProtocol(name))
    if (codec === undefined) throw refused(`unknown protocol ${word}`)
    const { name } = codec
    if (!codec.size) {
      parts.push({ name, value: undefined })
      continue
    }
    if (words.length === 0) throw refused('unexpected end of multiaddr')
    const value = name === 'unix' ? words.splice(0).join('/') : words.shift()!
    try {
      parts.push({ name, value: canonicalValue(codec, value) })
    } catch (error) {
      throw refused(`invalid value ${goQuote(value)} for protocol ${name}: ${messageOf(error)}`)
    }
  }
  return parts
}

/** The text of a multiaddr; nothing for no parts. */
export function multiaddrText(parts: readonly AddressPart[]): string {
  return parts.map(({ name, value }) => (value === undefined ? `/${name}` : `/${name}/${value}`)).join('')
}

function codecOf(name: string, find: (name: string) => ProtocolCodec): ProtocolCodec | undefined {
  try {
    return find(name)
  } catch {
    return undefined
  }
}

/** A value as its protocol writes it. Throws what is wrong with it. */
function canonicalValue(codec: ProtocolCodec, value: string): string {
  const { name } = codec
  if (name === 'ip4' && !isIPv4(value)) throw new Error(`failed to parse ip4 addr: ${value}`)
  if (name === 'ip6' && !isIPv6(value)) throw new Error(`failed to parse ip6 addr: ${value}`)
  if (PORTS.has(name)) return port(value)
  if (name === 'p2p') return peerIdString(peerId(value))
  if (value === '') throw new Error('empty value')
  const bytes = codec.valueToBytes?.(value)
  return bytes === undefined ? value : (codec.bytesToValue?.(bytes) ?? value)
}

function port(value: string): string {
  try {
    return String(parseInteger(value, 16, false, 10))
  } catch (error) {
    throw new Error(`failed to parse port addr: ${messageOf(error)}`)
  }
}

function peerId(value: string): Uint8Array {
  if (value.startsWith('Qm') || value.startsWith('1')) return parsePeerId(value)
  try {
    const { code, multihash } = parseCid(value)
    if (code === codecByName('libp2p-key')) return multihash.bytes
    throw new Error(`has the invalid codec ${code}`)
  } catch (error) {
    throw new Error(`failed to parse p2p addr: ${value} ${messageOf(error)}`)
  }
}
