import { z } from 'zod'
import type { HeldInputs } from '../../core/body/held.ts'
import { setting, settings, type Token, token } from '../../core/index.ts'

const MiB = 1024 * 1024

export const keysSettings = z.strictObject({
  passphrase: setting
    .secret()
    .describe('The passphrase that private keys are encrypted under. It stands before `passphraseFile` and the environment.'),
  passphraseFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file with the passphrase that private keys are encrypted under, for this user alone (mode 0600). Without, HOLDFAST_KEY_PASSPHRASE_FILE ' +
        'names one, or HOLDFAST_KEY_PASSPHRASE is the passphrase; else keys are stored as they are, as Kubo does.'
    ),
  maxInput: z
    .int()
    .min(1)
    .default(64 * MiB)
    .describe('Most bytes that are signed or verified at a time: they are held as a whole.'),
  maxInputs: z
    .int()
    .min(1)
    .default(256 * MiB)
    .describe('Most bytes that all calls which sign or verify hold together.')
})

export type KeysSettings = z.output<typeof keysSettings>
export const KeysSettings: Token<KeysSettings> = settings<typeof keysSettings>()

/** The memory that calls which sign, verify or import hold. */
export const KeyInputs: Token<HeldInputs> = token<HeldInputs>('keys-inputs')
