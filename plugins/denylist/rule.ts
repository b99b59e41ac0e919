import { base58btc, decodeMultihash, hashFunction, parseCid } from '../../core/cid/index.ts'
import { brokenEscapeAt, byteString, fromByteString, percentDecoded, trimRight } from '../../core/go/index.ts'
import { messageOf } from '../../core/index.ts'
import { parsePeerId } from '../../core/keys/index.ts'
import { domainName } from '../../core/path/index.ts'
import { denylistErrors } from './errors.ts'

/** The root of a path in a rule or a request: a multihash, or the name of a domain in small letters. */
export type Root = Uint8Array | string

/** Which content a rule is about. */
export type Subject =
  | { readonly kind: 'path'; readonly namespace: 'ipfs' | 'ipns'; readonly root: Root; readonly path: string; readonly isPrefix: boolean }
  /** A multihash of the text of a path. */
  | { readonly kind: 'hashed'; readonly multihash: Uint8Array }
  /** SHA-256 of a text that starts with a CID, as lists from before the specification have it. */
  | { readonly kind: 'legacy'; readonly digest: Uint8Array }

/** A line of a list. */
export interface Rule {
  /** More than one where the text of a digest can be read in two ways. */
  readonly subjects: readonly Subject[]
  readonly allows: boolean
  /** Hints, written as `key:value`. */
  readonly hints: ReadonlyMap<string, string>
}

/** Reads a line (IPIP-383); undefined for one that is empty or a comment. @throws E_DENYLIST_RULE */
export function parseRule(line: string): Rule | undefined {
  const text = line.trim()
  // a file whose lines end so would be one comment
  if (text.includes('\r')) throw denylistErrors.E_DENYLIST_RULE('a carriage return stands in it: lines end with a line feed')
  const [item = '', ...hints] = text.split(/\s+/)
  if (item === '' || item.startsWith('#')) return undefined
  const allows = item.startsWith('!')
  return { subjects: subjectsOf(allows ? item.slice(1) : item), allows, hints: new Map(hints.map(parseHint)) }
}

function parseHint(text: string): [string, string] {
  const colon = text.indexOf(':')
  if (colon < 1) throw denylistErrors.E_DENYLIST_RULE(`'${text}' is no hint: those are written key:value`)
  return [text.slice(0, colon), text.slice(colon + 1)]
}

function subjectsOf(item: string): readonly Subject[] {
  if (item.startsWith('//')) return hashedSubjects(item.slice(2))
  const [, namespace, root = '', ...pathAfter] = item.split('/')
  if (!item.startsWith('/') || (namespace !== 'ipfs' && namespace !== 'ipns') || root === '') {
    throw denylistErrors.E_DENYLIST_RULE(`'${item}' is no rule: those start with /ipfs/CID, /ipns/NAME or //`)
  }
  const text = pathAfter.join('/')
  const isPrefix = text.endsWith('*')
  const path = trimRight(decoded(isPrefix ? text.slice(0, -1) : text), '/')
  return [{ kind: 'path', namespace, root: namespace === 'ipfs' ? multihashOf(root) : rootOfName(root), path, isPrefix }]
}

const LEGACY = /^[0-9a-f]{64}$/i

function hashedSubjects(text: string): readonly Subject[] {
  const multihash = tryMultihash(text)
  const subjects: Subject[] = []
  if (multihash !== undefined) subjects.push({ kind: 'hashed', multihash })
  if (LEGACY.test(text)) subjects.push({ kind: 'legacy', digest: Buffer.from(text, 'hex') })
  if (subjects.length === 0)
    throw denylistErrors.E_DENYLIST_RULE(`'//${text}' is neither a multihash in base58 nor SHA-256 in hexadecimals`)
  return subjects
}

/** Letters of base58: what holds others is told from it at once, as most digests in hexadecimals are. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/

function tryMultihash(text: string): Uint8Array | undefined {
  if (!BASE58.test(text)) return undefined
  try {
    const bytes = base58btc.decode(text)
    // one whose function is not known here can stand for nothing
    hashFunction(decodeMultihash(bytes).code)
    return bytes
  } catch {
    return undefined
  }
}

function multihashOf(text: string): Uint8Array {
  const plain = tryMultihash(text)
  if (plain !== undefined) return plain
  try {
    return parseCid(text).multihash.bytes
  } catch (error) {
    throw denylistErrors.E_DENYLIST_RULE(`'${text}' is no CID: ${messageOf(error)}`)
  }
}

/** A name as rules and requests are held against each other: the multihash of a key, a domain in ASCII and small letters. */
export function rootOfName(name: string): Root {
  try {
    return parsePeerId(name)
  } catch {
    try {
      return parseCid(name).multihash.bytes
    } catch {
      // as who looks it up reads it; what is no host name, nobody looks up
      return domainName(name) ?? name
    }
  }
}

function decoded(path: string): string {
  if (brokenEscapeAt(path) >= 0) throw denylistErrors.E_DENYLIST_RULE(`the path '${path}' is not percent-encoded`)
  return fromByteString(percentDecoded(byteString(path)))
}
