import { resolve } from 'node:path'
import { readSecret } from '../../../core/files/secret.ts'
import { cliErrors } from '../errors.ts'
import type { GlobalValues } from '../line/options.ts'
import type { Terminal } from '../terminal.ts'

/**
 * The secret that a node is asked with: of `--api-auth` or `--api-auth-file`, else of HOLDFAST_API_AUTH, else in the file that
 * HOLDFAST_API_AUTH_FILE names. Other users of the machine see the words of a command line, so it need not stand there. No error shows it.
 *
 * @throws E_SECRET_TWICE, E_SECRET_FILE, E_SECRET_SHARED, E_SECRET_FORM
 */
export async function apiSecret(
  { apiAuth, apiAuthFile }: Pick<GlobalValues, 'apiAuth' | 'apiAuthFile'>,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>
): Promise<string | undefined> {
  if (apiAuth !== undefined && apiAuthFile !== undefined) throw cliErrors.E_SECRET_TWICE()
  const said = apiAuth ?? (apiAuthFile === undefined ? env['HOLDFAST_API_AUTH'] || undefined : undefined)
  if (said !== undefined) return checked(said, apiAuth === undefined ? 'HOLDFAST_API_AUTH' : '--api-auth')
  const file = apiAuthFile ?? (env['HOLDFAST_API_AUTH_FILE'] || undefined)
  return file === undefined ? undefined : secretIn(resolve(cwd, file))
}

async function secretIn(file: string): Promise<string> {
  return checked(await readSecret(file), file)
}

/** @throws E_SECRET_FORM for what no header field can hold; a name and a password are sent in base64, so any will do */
function checked(secret: string, from: string): string {
  if (!/^basic:[^:]*:/.test(secret) && /[^\t\x20-\x7e\x80-\xff]/.test(secret)) throw cliErrors.E_SECRET_FORM(from)
  return secret
}
