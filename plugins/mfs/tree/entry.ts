import type { Size } from '../../../core/dag/node-links.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'

/** The target of an entry of a directory. */
export interface EntryTarget {
  /** A CID in its binary form. */
  readonly cid: Uint8Array
  /** Tsize. */
  readonly size: Size
}

/** Bytes of a name. */
function nameLength(name: string): number {
  return name.isWellFormed() ? Buffer.byteLength(name) : encodeUtf8(name).length
}

/** The size that an entry counts for when a directory is sharded by its size. (boxo 0.19, ipld/unixfs/io/directory.go) */
export function costOf(name: string, { cid }: EntryTarget): number {
  return nameLength(name) + cid.length
}

/** The order of names by their bytes. JavaScript's own order of strings differs beyond the basic plane. */
export function compareNames(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return x < 0xd800 && y < 0xd800 ? x - y : Buffer.compare(encodeUtf8(a), encodeUtf8(b))
  }
  return a.length - b.length
}
