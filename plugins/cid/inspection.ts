import type { CID } from 'multiformats/cid'
import { cidErrors } from '../../core/cid/errors.ts'
import {
  base58btc,
  cidToString,
  codecName,
  DAG_PB,
  hashName,
  LIBP2P_KEY,
  type Multibase,
  multibaseByName,
  parseCid,
  SHA2_256
} from '../../core/cid/index.ts'
import { messageOf } from '../../core/index.ts'
import { formatPeerId, parsePeerId } from '../../core/keys/index.ts'

interface Named {
  readonly code: number
  readonly name: string
}

/** The parts of a CID (Kubo 0.42, core/commands/cid.go). Of a text that is none they are empty, and `errorMsg` says why. */
interface Inspection {
  cid: string
  version: number
  multibase: { prefix: string; name: string }
  multicodec: Named
  multihash: Named & { length: number; digest: string }
  cidV0?: string
  cidV1: string
  errorMsg?: string
}

export function inspectCid(text: string): Inspection {
  try {
    const cid = parseCid(text)
    const { code, digest } = cid.multihash
    return {
      cid: text,
      version: cid.version,
      multibase: cid.version === 0 ? basePart(base58btc) : basePart(baseOf(text)),
      multicodec: { code: cid.code, name: codecOf(cid.code) },
      multihash: { code, name: hashName(code) ?? UNKNOWN, length: digest.length, digest: Buffer.from(digest).toString('hex') },
      ...(whyNotV0(cid) === undefined && { cidV0: cid.toV0().toString() }),
      cidV1: cidToString(cid.toV1(), multibaseByName(cid.code === LIBP2P_KEY ? 'base36' : 'base32'))
    }
  } catch (error) {
    return { ...NOTHING, cid: text, errorMsg: `invalid CID: ${messageOf(error)}${peerNote(text)}` }
  }
}

/** The parts as lines; `implicit` is what a CID of version 0 does not say itself. */
export function inspectionLines({ cid, version, multibase, multicodec, multihash, cidV0, cidV1 }: Inspection): string {
  const isV0 = version === 0
  const implicit = isV0 ? ', implicit' : ''
  const lines = [
    ['CID:', cid],
    ['Version:', version],
    ['Multibase:', `${multibase.name} (${isV0 ? 'implicit' : multibase.prefix})`],
    ['Multicodec:', `${multicodec.name} (${hex(multicodec.code)}${implicit})`],
    ['Multihash:', `${multihash.name} (${hex(multihash.code)}${implicit})`],
    ['  Length:', `${multihash.length} bytes`],
    ['  Digest:', multihash.digest],
    ['CIDv0:', cidV0 ?? `not possible, ${whyNot({ codec: multicodec, hash: multihash })}`],
    ['CIDv1:', cidV1]
  ] as const
  return lines.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join('')
}

const UNKNOWN = 'unknown'

function codecOf(code: number): string {
  const name = codecName(code)
  return name === `Code(${code})` ? UNKNOWN : name
}

const NOTHING = {
  version: 0,
  multibase: { prefix: '', name: '' },
  multicodec: { code: 0, name: '' },
  multihash: { code: 0, name: '', length: 0, digest: '' },
  cidV1: ''
} as const

const hex = (code: number) => `0x${code.toString(16)}`

const basePart = ({ prefix, name }: Multibase) => ({ prefix, name })

/** A CID of version 1 was read, so its first character names a base. */
function baseOf(text: string): Multibase {
  const [first] = text
  if (first === undefined) throw cidErrors.E_MULTIBASE_EMPTY()
  return multibaseByName(first)
}

function whyNotV0(cid: CID): string | undefined {
  const { code, size } = cid.multihash
  return whyNot({ codec: { code: cid.code, name: '' }, hash: { code, name: '', length: size } })
}

/** Why these parts make no CID of version 0; undefined where they do. */
function whyNot({ codec, hash }: { codec: Named; hash: Named & { length: number } }): string | undefined {
  if (codec.code !== DAG_PB) return `requires dag-pb (${hex(DAG_PB)}), got ${codec.name} (${hex(codec.code)})`
  if (hash.code !== SHA2_256) return `requires sha2-256 (${hex(SHA2_256)}), got ${hash.name} (${hex(hash.code)})`
  return hash.length === 32 ? undefined : `requires 32-byte digest, got ${hash.length}`
}

/** A second line for the ID of a peer, which is no CID but has one. */
function peerNote(text: string): string {
  try {
    return `\nNote: the value is a PeerID; inspect its CID representation instead:\n  ${formatPeerId(parsePeerId(text), 'base36')}`
  } catch {
    return ''
  }
}
