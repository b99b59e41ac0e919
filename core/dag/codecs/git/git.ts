import { inflateSync } from 'node:zlib'
import { hasCode, messageOf } from '../../../errors.ts'
import type { Codec } from '../../../services/content/dag.ts'
import { dagErrors } from '../../errors.ts'
import { linksOf } from '../cbor/cbor.ts'
import { decodeGit, GIT_RAW } from './decode.ts'
import { encodeGit } from './encode.ts'

/** Most bytes of input for one node unless told otherwise: 32 MiB. */
export const MAX_INPUT = 32 * 1024 * 1024

/**
 * `git-raw` (0x78): git objects.
 *
 * @param maxValues - in a block that is read
 */
export function gitRawCodec(maxValues?: number): Codec {
  const decode = (bytes: Uint8Array) => decodeGit(bytes, maxValues)
  return { name: 'git-raw', code: GIT_RAW, decode, encode: encodeGit, links: bytes => linksOf(decode(bytes)) }
}

/**
 * Git objects as they lie in a `.git/objects` folder, compressed; a private number of Kubo's git plugin. A block that is stored like that
 * could be a thousand times as large as it says, for everyone who walks over it, so it is a codec of input alone.
 *
 * @param maxInput - bytes that input becomes
 */
export function gitZlibCodec({ maxValues, maxInput = MAX_INPUT }: { maxValues?: number; maxInput?: number } = {}): Codec {
  const decode = (bytes: Uint8Array) => decodeGit(inflate(bytes, maxInput), maxValues)
  return { name: 'git-raw-zlib', code: 0x300078, inputOnly: true, decode, links: bytes => linksOf(decode(bytes)) }
}

/** @throws E_INPUT_TOO_LARGE, E_GIT_INFLATE */
function inflate(bytes: Uint8Array, limit: number): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: limit })
  } catch (error) {
    if (hasCode(error, 'ERR_BUFFER_TOO_LARGE')) throw dagErrors.E_INPUT_TOO_LARGE(limit)
    throw dagErrors.E_GIT_INFLATE(messageOf(error))
  }
}
