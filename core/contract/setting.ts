import { inspect } from 'node:util'
import { z } from 'zod'
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

export interface DurationLimits {
  /** The least that is allowed, as it would be written. Default: `0s`. */
  readonly min?: string
  /** The most. Default: what a timer of Node.js takes, almost 25 days. */
  readonly max?: string
  /** What a plain number counts, for settings that were one. Default: milliseconds. */
  readonly number?: 'ms' | 's'
}

/** A time as it stands in a configuration: `1m30s`, or a plain number. */
type DurationForm = string | number
type DurationText = z.ZodType<DurationForm, DurationForm>

const LONGEST_TIMER = '596h31m23.647s'
const NUMBERS = { ms: { scale: NANOSECONDS, name: 'milliseconds' }, s: { scale: 1000n * NANOSECONDS, name: 'seconds' } } as const

/** Kinds of settings beside those of zod. */
export const setting = {
  duration,
  /** A secret: in the configuration itself, in a file that only this user may read (`{ file }`), or in the environment (`{ env }`). */
  secret(): z.ZodType<Secret | undefined, z.input<typeof secretForm> | undefined> {
    return secretForm.optional().transform(given => (given === undefined ? undefined : secretOf(given)))
  }
} as const

/**
 * A duration such as `1m30s`, or a plain number of milliseconds, as milliseconds; parts of one count as a whole one.
 *
 * @param usual - the default, as it would be written; without it the setting may be left out
 */
function duration(usual: string, limits?: DurationLimits): z.ZodPipe<z.ZodDefault<DurationText>, z.ZodTransform<number, DurationForm>>
function duration(usual?: undefined, limits?: DurationLimits): z.ZodOptional<z.ZodPipe<DurationText, z.ZodTransform<number, DurationForm>>>
function duration(usual?: string, { min = '0s', max = LONGEST_TIMER, number = 'ms' }: DurationLimits = {}): z.ZodType {
  const [least, most] = [parseDuration(min), parseDuration(max)]
  const { scale, name } = NUMBERS[number]
  const written = usual === undefined ? undefined : formatDuration(parseDuration(usual))
  const range = least === 0n ? `up to ${max}` : `from ${min} to ${max}`
  const allowed = `a duration ${range}, such as "${written === undefined || written === '0s' ? '30s' : written}", or a number of ${name}`
  const form = z.unknown().meta({ type: ['string', 'number'], 'x-allowed': allowed })
  const read = (given: unknown, context: z.RefinementCtx): number => {
    const duration = nanoseconds(given, scale)
    if (duration !== undefined && duration >= least && duration <= most) return Number((duration + NANOSECONDS - 1n) / NANOSECONDS)
    context.addIssue({ code: 'custom', message: allowed, params: { given } })
    return z.NEVER
  }
  return written === undefined ? form.transform(read).optional() : form.default(written).transform(read)
}

function nanoseconds(given: unknown, scale: bigint): bigint | undefined {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? BigInt(given) * scale : undefined
  try {
    return typeof given === 'string' ? parseDuration(given) : undefined
  } catch {
    return undefined
  }
}
