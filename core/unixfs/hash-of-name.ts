import { MURMUR3_64 } from '../cid/codes.ts'
import { digestSync } from '../cid/hashers.ts'
import { encodeUtf8 } from '../go/utf8.ts'

/** Bytes of a name's hash. */
export const HASH_BYTES = 8

/** The hash that places a name in a sharded directory: each level of the trie takes its bits from the front (boxo 0.19, ipld/unixfs/hamt). */
export function hashOfName(name: string): Uint8Array {
  return digestSync(MURMUR3_64, encodeUtf8(name))
}
