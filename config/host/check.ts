import type { z } from 'zod'
import { hostConfigErrors } from './errors.ts'
import { type HostConfig, hostSchema } from './schema.ts'
import { didYouMean } from './suggest.ts'

/**
 * Holds what a configuration file says against its schema.
 *
 * @param file how messages call the file
 * @throws E_HOST_CONFIG_INVALID, one line for each problem: the file, the key, the value, and what may stand there
 */
export function checkHostConfig(found: unknown, file: string): HostConfig {
  const result = hostSchema.safeParse(found)
  if (result.success) return result.data
  throw hostConfigErrors.E_HOST_CONFIG_INVALID(result.error.issues.flatMap(issue => problems(issue, found, file)))
}

function problems(issue: z.core.$ZodIssue, found: unknown, file: string): string[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(path)
    return issue.keys.map(
      key => `${file}: ${[...path, key].join('.')}: there is no such key${didYouMean(key, known) || `; known: ${known.join(', ')}`}`
    )
  }
  const value = path.reduce<unknown>((whole, key) => (whole as Record<string, unknown> | undefined)?.[key], found)
  const key = path.length === 0 ? 'the whole file' : path.join('.')
  return [`${file}: ${key} is ${shown(value)}; allowed: ${issue.message}`]
}

/** The keys that the schema knows at a place. */
function keysAt(path: readonly string[]): string[] {
  let schema: z.core.$ZodType | undefined = hostSchema
  for (const key of path) schema = (inner(schema) as Partial<z.ZodObject>).shape?.[key]
  return Object.keys((inner(schema) as Partial<z.ZodObject>).shape ?? {})
}

/** The schema inside of an optional or defaulted one. */
function inner(schema: z.core.$ZodType | undefined): unknown {
  let at = schema as Partial<z.ZodOptional> | undefined
  while (at?.unwrap !== undefined && (at as Partial<z.ZodObject>).shape === undefined) at = at.unwrap() as Partial<z.ZodOptional>
  return at ?? {}
}

const SHOWN_CHARACTERS = 80
/** Members that are looked at: a few lines of YAML stand for billions. */
const SHOWN_MEMBERS = 100

/** A value of a configuration as an error shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  let left = SHOWN_MEMBERS
  try {
    const text = JSON.stringify(value, (_, member: unknown) => (left-- > 0 ? member : undefined)) ?? 'nothing'
    return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  } catch {
    return 'a value that holds itself'
  }
}
