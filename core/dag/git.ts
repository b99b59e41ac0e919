import { inflateSync } from 'node:zlib'
import { dagErrors } from '../errors/dag.ts'
import { messageOf } from '../errors.ts'
import type { Codec } from '../services/dag.ts'
import { linksOf } from './cbor.ts'
import { decodeGit, GIT_RAW } from './git-decode.ts'
import { encodeGit } from './git-encode.ts'
import { DEFAULT_LIMIT } from './output.ts'

/** `git-raw` (0x78): git objects. */
export const gitRaw: Codec = {
  name: 'git-raw',
  code: GIT_RAW,
  decode: decodeGit,
  encode: encodeGit,
  links: bytes => linksOf(decodeGit(bytes))
}

/** Git objects as they lie in a `.git/objects` folder, compressed; a private number of Kubo's git plugin. Input only. */
export const gitZlib: Codec = {
  name: 'git-raw-zlib',
  code: 0x300078,
  decode: bytes => decodeGit(inflate(bytes)),
  links: bytes => linksOf(decodeGit(inflate(bytes)))
}

function inflate(bytes: Uint8Array): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: DEFAULT_LIMIT })
  } catch (error) {
    throw dagErrors.E_GIT_INFLATE(messageOf(error))
  }
}
