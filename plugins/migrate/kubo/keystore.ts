import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { base32 } from 'multiformats/bases/base32'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/index.ts'
import { hasCode, type Identity, messageOf } from '../../../core/index.ts'
import { identityOf } from '../../../core/keys/index.ts'
import { withRegularFile } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'

export const KEYSTORE = 'keystore'
const PREFIX = 'key_'
/** Most bytes of a key's file: one of RSA with 8192 bits has less than 5000. */
const MOST = 65_536

/** The file of a key, in the keystore (boxo 0.19, keystore): its name in lower-case base32. */
export function keyFileOf(name: string): string {
  return PREFIX + base32.encoder.baseEncode(encodeUtf8(name))
}

/** All keys of a repo's keystore, by their names. @throws E_KUBO_FILE */
export async function readKeystore(repo: string): Promise<ReadonlyMap<string, Identity>> {
  const folder = join(repo, KEYSTORE)
  const names = await readdir(folder).catch(error => {
    if (hasCode(error, 'ENOENT')) return []
    throw migrateErrors.E_KUBO_FILE(folder, messageOf(error))
  })
  const keys = new Map<string, Identity>()
  for (const name of names.sort()) {
    const file = join(folder, name)
    try {
      const called = decodeUtf8(base32.decoder.baseDecode(name.slice(PREFIX.length)))
      if (!name.startsWith(PREFIX) || keyFileOf(called) !== name) throw new Error('its name is none of a key')
      const bytes = await withRegularFile(file, ({ first }) => first(MOST))
      keys.set(called, identityOf(new Uint8Array(bytes), { anySize: true }))
    } catch (error) {
      throw migrateErrors.E_KUBO_FILE(file, messageOf(error))
    }
  }
  return keys
}
