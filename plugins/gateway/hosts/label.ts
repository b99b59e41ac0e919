import { cidToString, multibaseByName, parseCid } from '../../../core/cid/index.ts'
import { CID } from '../../../core/index.ts'
import { formatPeerId, tryPeerId } from '../../../core/keys/index.ts'
import { gatewayErrors } from '../errors.ts'

/** Longest label of a host name (RFC 1034). */
const LABEL = 63
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

const base32 = multibaseByName('base32')
const base36 = multibaseByName('base36')

/**
 * A CID as the label of a host: version 1 in base32, in base36 where that is too long.
 *
 * @throws E_GATEWAY_LABEL
 */
export function labelOfCid(cid: CID): string {
  const v1 = cid.version === 1 ? cid : CID.createV1(cid.code, cid.multihash)
  const label = cidToString(v1, base32)
  return label.length <= LABEL ? label : short(cidToString(v1, base36))
}

/** The label of a key's name: the CID of a libp2p key in base36. @throws E_GATEWAY_LABEL */
export function labelOfKey(multihash: Uint8Array): string {
  return short(formatPeerId(multihash, 'base36'))
}

function short(label: string): string {
  if (label.length > LABEL) throw gatewayErrors.E_GATEWAY_LABEL(label)
  return label
}

export function isLabel(text: string): boolean {
  return text.length <= LABEL
}

/** The CID that a text is; undefined for one that is none. */
export function tryCid(text: string): CID | undefined {
  try {
    return parseCid(text)
  } catch {
    return undefined
  }
}

/** The multihash that a name of a key stands for: a peer ID, or a CID of any codec; undefined for what is neither. */
export function tryKey(text: string): Uint8Array | undefined {
  const cid = tryCid(text)
  return cid === undefined ? tryPeerId(text) : cid.multihash.bytes
}

/** Whether a text can be looked up as the name of a host. */
export function isHostName(text: string): boolean {
  return NAME.test(text)
}

/** A DNSLink name as one label: `my-site.org` is `my--site-org`. @throws E_GATEWAY_INLINED */
export function inlined(name: string): string {
  const label = name.replaceAll('-', '--').replaceAll('.', '-')
  if (label.length > LABEL) throw gatewayErrors.E_GATEWAY_INLINED(label)
  return label
}

/** The name that a label of {@link inlined} stands for. */
export function uninlined(label: string): string {
  return label.replace(/--|-/g, dashes => (dashes === '-' ? '.' : '-'))
}
