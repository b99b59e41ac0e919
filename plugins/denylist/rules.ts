import {
  base58btc,
  cidToString,
  createMultihash,
  decodeMultihash,
  digestSync,
  LIBP2P_KEY,
  multibaseByName,
  SHA2_256
} from '../../core/cid/index.ts'
import { CID, type DeniablePath } from '../../core/index.ts'
import { type Root, type Rule, rootOfName, type Subject } from './rule.ts'
import { type DigestKey, DigestTable, keyOf } from './table.ts'

const base32 = multibaseByName('base32')
const LINE_BITS = 30

/** A rule: where it stands, in the order of all, and whether it allows what others deny. */
export interface Ruling {
  readonly line: number
  readonly allows: boolean
  readonly status: 410 | 451
}

/** A path as rules are looked up by it. */
interface LookupPath {
  readonly namespace: 'ipfs' | 'ipns'
  readonly root: Root
  readonly path: string
  /** The root as lists from before the specification write it. */
  readonly legacy: string
}

/** The rules of all lists. Of those that fit, the last one counts. */
export class RuleSet {
  readonly #table = new DigestTable()
  /** Functions and lengths of the digests that hashed rules have. */
  readonly #functions = new Map<string, { readonly code: number; readonly size: number }>()
  /** Lengths of the prefixes that there are. */
  readonly #lengths = new Set<number>()
  #hasLegacy = false

  get size(): number {
    return this.#table.size
  }

  get bytes(): number {
    return this.#table.bytes
  }

  /** @param line - where it stands, 1 or more, below 2^30; that of a later rule is higher */
  add({ subjects, allows }: Rule, line: number, status: 410 | 451): void {
    const value = line * 4 + (status === 451 ? 2 : 0) + (allows ? 1 : 0)
    if (line >= 2 ** LINE_BITS) throw new RangeError(`line ${line}`)
    for (const subject of subjects) this.#set(subject, value)
  }

  #set(subject: Subject, value: number): void {
    switch (subject.kind) {
      case 'hashed': {
        const { code, size } = decodeMultihash(subject.multihash)
        this.#functions.set(`${code}/${size}`, { code, size })
        this.#table.set(keyOf('hashed', subject.multihash), value)
        break
      }
      case 'legacy':
        this.#hasLegacy = true
        this.#table.set(keyOf('legacy', subject.digest), value)
        break
      case 'path': {
        const { namespace, root, path, isPrefix } = subject
        this.#table.set(keyOf(isPrefix ? 'prefix' : 'path', namespace, root, path), value)
        if (!isPrefix) break
        this.#lengths.add(path.length)
        // roots without a prefix are told by one look
        this.#table.set(keyOf('prefixes', namespace, root), 1)
      }
    }
  }

  ofBlock(cid: CID): Ruling | undefined {
    return this.#find({ namespace: 'ipfs', root: cid.multihash.bytes, path: '', legacy: legacyOf(cid) })
  }

  ofPath(path: DeniablePath): Ruling | undefined {
    const { segments } = path
    const paths = new Set([segments.join('/'), segments.map(plainNumber).join('/')])
    if (path.namespace === 'ipfs') {
      const asked = { namespace: 'ipfs', root: path.root.multihash.bytes, legacy: legacyOf(path.root) } as const
      return this.#find(...[...paths].map(path => ({ ...asked, path })))
    }
    const root = rootOfName(path.name)
    const legacy = typeof root === 'string' ? root : legacyOf(CID.createV1(LIBP2P_KEY, decodeMultihash(root)))
    // a name that is not followed leads to nothing below it either
    return this.#find(...[...paths.add('')].map(path => ({ namespace: 'ipns', root, path, legacy }) as const))
  }

  /** The verdict of the last rule that fits one of these. */
  #find(...all: readonly LookupPath[]): Ruling | undefined {
    let value = 0
    for (const asked of all) for (const key of this.#keysOf(asked)) value = Math.max(value, this.#table.get(key))
    return value === 0 ? undefined : { line: Math.floor(value / 4), status: (value & 2) === 0 ? 410 : 451, allows: (value & 1) === 1 }
  }

  *#keysOf({ namespace, root, path, legacy }: LookupPath): Generator<DigestKey> {
    yield keyOf('path', namespace, root, path)
    if (this.#lengths.size > 0 && this.#table.get(keyOf('prefixes', namespace, root)) !== 0) {
      for (const length of this.#lengths) if (length <= path.length) yield keyOf('prefix', namespace, root, path.slice(0, length))
    }
    if (this.#functions.size > 0) {
      const text = Buffer.from(hashedText(root) + (path === '' ? '' : `/${path}`))
      for (const { code, size } of this.#functions.values()) {
        yield keyOf('hashed', createMultihash(code, digestSync(code, text, size)).bytes)
      }
    }
    if (this.#hasLegacy) yield keyOf('legacy', digestSync(SHA2_256, Buffer.from(`${legacy}/${path}`)))
  }
}

/** A segment as rules have it: where it may be the number of an entry in a list, which can be written in many ways, in the shortest. */
function plainNumber(segment: string): string {
  const [, sign, digits] = NUMBER.exec(segment) ?? []
  if (digits === undefined) return segment
  return sign === '-' && digits !== '0' ? `-${digits}` : digits
}

const NUMBER = /^([+-]?)0*(0|[1-9]\d*)$/

const hashedText = (root: Root) => (typeof root === 'string' ? `/ipns/${root}` : base58btc.encode(root))
const legacyOf = (cid: CID) => cidToString(cid.version === 1 ? cid : CID.createV1(cid.code, cid.multihash), base32)
