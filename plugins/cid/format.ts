import type { CID } from 'multiformats/cid'
import { encodeMultibase, type Multibase } from '../../core/cid/bases.ts'
import { codecName } from '../../core/cid/codecs.ts'
import { hashName } from '../../core/cid/hashes.ts'
import { cidToString } from '../../core/cid/parse.ts'
import { byteString, fromByteString } from '../../core/go/utf8.ts'
import { formatErrors } from './errors.ts'

type Verb = (cid: CID, base: Multibase) => string

const hash = ({ multihash }: CID) => hashName(multihash.code) ?? `hash?${multihash.code}`

/** The letters that may follow a `%` (go-cidutil 0.1). Small and capital letters are a name and its number, or with and without multibase prefix. */
const verbs: Readonly<Record<string, Verb>> = {
  '%': () => '%',
  b: (_, base) => base.name,
  B: (_, base) => fromByteString(String.fromCharCode(base.code & 255)),
  v: cid => `cidv${cid.version}`,
  V: cid => `${cid.version}`,
  c: cid => codecName(cid.code),
  C: cid => `${cid.code}`,
  h: hash,
  H: cid => `${cid.multihash.code}`,
  L: cid => `${cid.multihash.size}`,
  m: (cid, base) => encodeMultibase(base, cid.multihash.bytes),
  M: (cid, base) => withoutPrefix(encodeMultibase(base, cid.multihash.bytes)),
  d: (cid, base) => encodeMultibase(base, cid.multihash.digest),
  D: (cid, base) => withoutPrefix(encodeMultibase(base, cid.multihash.digest)),
  s: cidToString,
  S: (cid, base) => withoutPrefix(encodeMultibase(base, cid.bytes)),
  P: cid => `cidv${cid.version}-${codecName(cid.code)}-${hash(cid)}-${cid.multihash.size}`
}

/** The reference takes the first byte for the prefix, which for base256emoji is a part of it. */
function withoutPrefix(text: string): string {
  return fromByteString(byteString(text).slice(1))
}

/**
 * Writes a CID in a printf-like format.
 *
 * @param most - characters there may be
 * @throws E_CID_FORMAT_END, E_CID_FORMAT_VERB, E_CID_FORMAT_LENGTH
 */
export function formatCid(format: string, base: Multibase, cid: CID, most: number = Number.POSITIVE_INFINITY): string {
  const bytes = byteString(format)
  let text = ''
  let at = 0
  for (let verb = bytes.indexOf('%'); verb >= 0; verb = bytes.indexOf('%', at)) {
    text += fromByteString(bytes.slice(at, verb))
    const letter = bytes[verb + 1]
    if (letter === undefined) throw formatErrors.E_CID_FORMAT_END()
    const write = Object.hasOwn(verbs, letter) ? verbs[letter]! : undefined
    if (write === undefined) throw formatErrors.E_CID_FORMAT_VERB(fromByteString(`%${letter}`))
    text += write(cid, base)
    if (text.length > most) throw formatErrors.E_CID_FORMAT_LENGTH(most)
    at = verb + 2
  }
  return text + fromByteString(bytes.slice(at))
}
