import type { CID } from 'multiformats/cid'
import { base58btc, type Multibase, multibaseByName } from '../../core/cid/bases.ts'
import { codecByName } from '../../core/cid/codecs.ts'
import { DAG_PB, SHA2_256 } from '../../core/cid/codes.ts'
import { cidErrors } from '../../core/cid/errors.ts'
import { hashName } from '../../core/cid/hashes.ts'
import { parseCid } from '../../core/cid/parse.ts'
import { cidOfDigest } from '../../core/cid/sum.ts'
import { hasCode, messageOf } from '../../core/index.ts'
import { formatErrors } from './errors.ts'
import { formatCid } from './format.ts'

interface Conversion {
  readonly format: string
  /** `''` keeps it, but for a base other than base58btc, which needs version 1. */
  readonly version: string
  readonly codec: string
  readonly base: string
  /** Characters that a CID may become. */
  readonly most: number
}

/** One CID's outcome: the text, or why there is none. */
export interface Converted {
  CidStr: string
  Formatted: string
  ErrorMsg: string
}

/**
 * Checks what is asked for and makes the function that does it. A CID that cannot be converted does not end it.
 *
 * @throws E_CID_FORMAT, E_CODEC_UNKNOWN, E_CID_VERSION, E_CID_V0_CODEC, E_CID_V0_BASE, E_MULTIBASE_UNSUPPORTED
 */
export function converter({ format, version, codec, base, most }: Conversion): (text: string) => Converted {
  if (!format.includes('%')) throw formatErrors.E_CID_FORMAT(format)
  const code = codec === '' ? 0 : codecByName(codec)
  const change = versionChange(version, code, base)
  const chosen = base === '' ? undefined : multibaseByName(base)
  return text => {
    try {
      const cid = change(withCodec(parseCid(text), code))
      return { CidStr: text, Formatted: formatCid(format, chosen ?? baseOf(text, cid), cid, most), ErrorMsg: '' }
    } catch (error) {
      if (hasCode(error, 'E_CID_FORMAT_END') || hasCode(error, 'E_CID_FORMAT_VERB')) throw error
      return { CidStr: text, Formatted: '', ErrorMsg: messageOf(error) }
    }
  }
}

function versionChange(version: string, code: number, base: string): (cid: CID) => CID {
  switch (version) {
    case '':
      return base === '' ? cid => cid : cid => cid.toV1()
    case '0':
      if (code !== 0 && code !== DAG_PB) throw formatErrors.E_CID_V0_CODEC()
      if (base !== '' && base !== 'base58btc') throw formatErrors.E_CID_V0_BASE()
      return toV0
    case '1':
      return cid => cid.toV1()
    default:
      throw formatErrors.E_CID_VERSION(version)
  }
}

function toV0(cid: CID): CID {
  const { code, size } = cid.multihash
  if (cid.code !== DAG_PB) throw formatErrors.E_CID_V0_NODE()
  if (code !== SHA2_256 || size !== 32) throw formatErrors.E_CID_V0_HASH(`${hashName(code) ?? code} of ${size} bytes`)
  return cid.toV0()
}

/** Code 0 (identity) is no codec of nodes and means: as it is. */
function withCodec(cid: CID, code: number): CID {
  if (code === 0 || code === cid.code) return cid
  return cidOfDigest(1, code, cid.multihash.code, cid.multihash.digest)
}

/** The base that a text was written in, by its first byte alone, as the reference looks at it. */
function baseOf(text: string, cid: CID): Multibase {
  if (cid.version === 0 || (text.length === 46 && text.startsWith('Qm'))) return base58btc
  if (text.charCodeAt(0) > 127) throw cidErrors.E_MULTIBASE_UNSUPPORTED('-1')
  return multibaseByName(text[0]!)
}
