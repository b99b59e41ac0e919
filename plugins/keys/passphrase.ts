import { readSecret } from '../../core/files/secret.ts'
import type { Secret } from '../../core/index.ts'

/**
 * The passphrase that keys are encrypted under: as the setting has it, in a file that a setting names, else in one that the environment names, else in the
 * environment. Never in the words of a command line, which other users see.
 *
 * @returns undefined where there is none
 * @throws E_SECRET_FILE, E_SECRET_SHARED, E_SECRET_ABSENT
 */
export async function passphrase(file: string | undefined, env: NodeJS.ProcessEnv, secret?: Secret): Promise<string | undefined> {
  if (secret !== undefined) return secret.read()
  const named = file ?? (env['HOLDFAST_KEY_PASSPHRASE_FILE'] || undefined)
  return named === undefined ? env['HOLDFAST_KEY_PASSPHRASE'] || undefined : readSecret(named)
}
