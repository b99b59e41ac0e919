import type { CID } from 'multiformats/cid'
import { dagCbor } from '../dag/cbor.ts'
import { asLink, kindOf, type Node, plain } from '../dag/model.ts'
import { carErrors } from '../errors/car.ts'
import { messageOf } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

export interface CarHeader {
  readonly version: number | bigint
  readonly roots: readonly CID[]
}

/** How the reference's decoder calls what it meets (refmt 0.89). */
const TOKENS: Readonly<Record<string, string>> = { map: 'map open', list: 'array open', int: 'uint' }

/**
 * What the header of a CAR says. Both of its fields may be missing: no roots, and version 0, which no CAR has.
 *
 * @throws E_CAR_HEADER, E_CAR_ROOTS
 */
export function decodeHeader(bytes: Uint8Array, maxRoots: number): CarHeader {
  if (bytes.length === 0) throw carErrors.E_CAR_HEADER('EOF')
  const header = plain(attempt(() => dagCbor.decode(bytes)))
  if (!(header instanceof Map)) throw unexpected(header, 'start of map')
  for (const key of header.keys()) {
    if (key === 'roots' || key === 'version') continue
    throw carErrors.E_CAR_HEADER(
      `unmarshal error: stream contains key ${goQuote(key)}, but there's no such field in structs of type carv1.CarHeader`
    )
  }
  return { version: versionOf(header.get('version')), roots: rootsOf(header.get('roots'), maxRoots) }
}

function versionOf(node: Node | undefined): number | bigint {
  const version = node === undefined ? 0 : plain(node)
  if (typeof version !== 'number' && typeof version !== 'bigint') throw unexpected(version, 'uint')
  if (version < 0 || (typeof version === 'number' && !Number.isInteger(version))) throw unexpected(version, 'uint')
  return version
}

function rootsOf(node: Node | undefined, most: number): CID[] {
  const roots = node === undefined ? null : plain(node)
  if (roots === null) return []
  if (!Array.isArray(roots)) throw unexpected(roots, 'start of array')
  if (roots.length > most) throw carErrors.E_CAR_ROOTS(most)
  return roots.map(root => {
    const cid = asLink(plain(root))
    if (cid === undefined) throw unexpected(root, 'link')
    return cid
  })
}

function unexpected(node: Node, wanted: string): Error {
  const kind = kindOf(node)
  return carErrors.E_CAR_HEADER(`malformed stream: invalid appearance of ${TOKENS[kind] ?? kind} token; expected ${wanted}`)
}

function attempt<T>(decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    throw carErrors.E_CAR_HEADER(messageOf(error))
  }
}
