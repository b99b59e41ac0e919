import { multibaseByName } from '../../core/cid/bases.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'
import { keysErrors } from './errors.ts'

/** Stands before the name in base32 (boxo 0.19, keystore). */
const PREFIX = 'key_'

/** Bytes of a name whose file name is as long as file systems let it be: 255 bytes. */
const LONGEST = Math.floor(((255 - PREFIX.length) * 5) / 8)

const base32 = multibaseByName('base32')

/**
 * The name of the file that a key is in: no name can point anywhere else.
 *
 * @throws E_KEY_NAME, E_KEY_NAME_LONG
 */
export function fileNameOf(name: string): string {
  const bytes = encodeUtf8(name)
  if (bytes.length === 0) throw keysErrors.E_KEY_NAME()
  if (bytes.length > LONGEST) throw keysErrors.E_KEY_NAME_LONG(bytes.length, LONGEST)
  return PREFIX + base32.encode(bytes)
}

/** The name of the key in a file; undefined for a file of something else. */
export function keyNameOf(file: string): string | undefined {
  if (!file.startsWith(PREFIX)) return undefined
  try {
    const name = decodeUtf8(base32.decode(file.slice(PREFIX.length)))
    return fileNameOf(name) === file ? name : undefined
  } catch {
    return undefined
  }
}

/** Names in the order of their bytes, as Go sorts them. */
export function sorted(names: Iterable<string>): string[] {
  return [...names].sort((a, b) => Buffer.compare(encodeUtf8(a), encodeUtf8(b)))
}
