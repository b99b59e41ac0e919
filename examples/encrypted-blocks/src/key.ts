import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { errors } from './errors.ts'

/** The secret in a file. @param repo - the folder that relative paths start from @throws E_NO_FOLDER, E_KEY_MISSING, E_KEY_FORM */
export function readKey(keyFile: string, repo: string | undefined): Uint8Array {
  if (repo === undefined && !isAbsolute(keyFile)) throw errors.E_NO_FOLDER()
  const file = isAbsolute(keyFile) ? keyFile : join(repo!, keyFile)
  const secret = Buffer.from(textOf(file).trim(), 'base64')
  if (secret.length !== 32) throw errors.E_KEY_FORM(file)
  return secret
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw errors.E_KEY_MISSING(file)
  }
}
