import { readSecret } from '../../core/files/secret.ts'

/**
 * The passphrase that keys are encrypted under: in a file that the setting names, else in one that the environment names, else in the
 * environment. Never in the words of a command line, which other users see.
 *
 * @returns undefined where there is none
 * @throws E_SECRET_FILE, E_SECRET_SHARED
 */
export async function passphrase(file: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = file ?? (env['HOLDFAST_KEY_PASSPHRASE_FILE'] || undefined)
  return named === undefined ? env['HOLDFAST_KEY_PASSPHRASE'] || undefined : readSecret(named)
}
