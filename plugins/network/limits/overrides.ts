import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { withoutMark } from '../../../core/go/index.ts'
import { messageOf, SCOPE_LIMITS, type ScopeLimits } from '../../../core/index.ts'
import { networkPluginErrors } from '../errors.ts'

/** The file in the repo in which limits of single parts are set, in the reference's form. */
const FILE = 'libp2p-resource-limit-overrides.json'

const count = z.union([z.int().min(-2), z.string().regex(/^(?:\d{1,15}|unlimited|default|blockAll)$/)])

type Counts = Record<(typeof SCOPE_LIMITS)[number][0], z.ZodOptional<typeof count>>

const limits = z.strictObject(Object.fromEntries(SCOPE_LIMITS.map(([wire]) => [wire, count.optional()])) as Counts)

type Limits = z.output<typeof limits>

const file = z.looseObject({
  System: limits.optional(),
  Transient: limits.optional(),
  Service: z.record(z.string(), limits).optional(),
  Protocol: z.record(z.string(), limits).optional(),
  Peer: z.record(z.string(), limits).optional(),
  PeerDefault: limits.optional()
})

export type Overrides = z.output<typeof file>

/** The limits with what the file says of them in their place. Numbers below zero are the reference's own for words. */
export function overridden(before: ScopeLimits, said: Limits | undefined): ScopeLimits {
  const next: { -readonly [K in keyof ScopeLimits]: ScopeLimits[K] } = { ...before }
  for (const [wire, name] of SCOPE_LIMITS) {
    const value = said?.[wire]
    if (value === undefined || value === 'default' || value === 0) continue
    next[name] = value === 'unlimited' || value === -1 ? undefined : value === 'blockAll' || value === -2 ? 0 : Number(value)
  }
  return next
}

/** The limits of the file in the repo; none where there is no file. @throws E_LIMITS_FILE */
export async function readOverrides(repo: string | undefined): Promise<Overrides> {
  if (repo === undefined) return {}
  const path = join(repo, FILE)
  try {
    return file.parse(JSON.parse(withoutMark(await readFile(path, 'utf8'))))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw networkPluginErrors.E_LIMITS_FILE(path, error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error))
  }
}
