import { inspect } from 'node:util'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { fileErrors } from '../files/errors.ts'
import { formatDuration, parseDuration } from '../go/duration.ts'

const NANOSECONDS = 1_000_000n
const REDACTED = '<secret>'

/** A secret of the configuration: what prints it prints that there is one. */
export class Secret {
  readonly #read: () => Promise<string>

  constructor(read: () => Promise<string>) {
    this.#read = read
  }

  /**
   * The text itself. A file is read anew each time, so that a new secret counts from the next use on.
   *
   * @throws E_SECRET_FILE, E_SECRET_SHARED, E_SECRET_ABSENT
   */
  read(): Promise<string> {
    return this.#read()
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  [inspect.custom](): string {
    return REDACTED
  }
}

const SECRET = 'text, { file: PATH } or { env: NAME }'

const secretForm = z.union(
  [z.string().min(1), z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().min(1) })],
  // what was given is shown nowhere, as it may be the secret
  { error: () => SECRET }
)

function secretOf(given: z.output<typeof secretForm>): Secret {
  if (typeof given === 'string') return new Secret(async () => given)
  if ('file' in given) return new Secret(async () => (await import('../files/secret.ts')).readSecret(given.file))
  return new Secret(async () => {
    const found = process.env[given.env]
    if (found === undefined || found === '') throw fileErrors.E_SECRET_ABSENT(given.env)
    return found
  })
}

/** Kinds of settings beside those of zod. */
export const setting = {
  /** A duration such as `1m30s`, as milliseconds. @param fallback - as it would be written */
  duration(fallback: string): z.ZodType<number, string | undefined> {
    return z
      .string()
      .default(formatDuration(parseDuration(fallback)))
      .transform((text, context) => {
        try {
          const duration = parseDuration(text)
          if (duration >= 0n) return Number(duration / NANOSECONDS)
          context.addIssue({ code: 'custom', message: `the duration ${text} is less than nothing` })
        } catch (error) {
          context.addIssue({ code: 'custom', message: messageOf(error) })
        }
        return z.NEVER
      })
  },
  /** A secret: in the configuration itself, in a file that only this user may read (`{ file }`), or in the environment (`{ env }`). */
  secret(): z.ZodType<Secret | undefined, z.input<typeof secretForm> | undefined> {
    return secretForm.optional().transform(given => (given === undefined ? undefined : secretOf(given)))
  }
} as const
