import { z } from 'zod'
import type { JsonSchema } from './types.ts'

const LARGE = Number.MAX_SAFE_INTEGER

/** Notes for other encodings (see `host/encode/schema.ts`), which say nothing about JSON. */
const NOTES = ['go', 'xml', 'string'] as const

/**
 * The wire's form of a declared schema: numbers of 64 bits in full, times as RFC 3339, and what the writer of JSON leaves out
 * left out. A schema that contains itself refers to where it will stand.
 *
 * @param place - of the schema in its document, e.g. `#/components/schemas/add`; parts that are used twice stand beside it
 */
export function wireSchemas(
  schema: z.ZodType,
  place: string
): { readonly root: JsonSchema; readonly parts: Readonly<Record<string, JsonSchema>> } {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: describe }) as JsonSchema
  const moved = (ref: string) => (ref === '#' ? place : ref.replace('#/$defs/', `${place}.`))
  const parts = Object.entries($defs as Record<string, JsonSchema>).map(([name, part]) => [name, refer(part, moved) as JsonSchema] as const)
  return { root: refer(root, moved) as JsonSchema, parts: Object.fromEntries(parts) }
}

/** Points every reference elsewhere. */
function refer(value: unknown, moved: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => refer(item, moved))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === '$ref' && typeof item === 'string' ? moved(item) : refer(item, moved)])
  )
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>

const describe: Override = ({ zodSchema, jsonSchema }) => {
  const at = jsonSchema as Record<string, unknown>
  const { go } = at as { go?: string }
  for (const note of NOTES) delete at[note]
  const { type, options } = zodSchema._zod.def as { type: string; options?: readonly z.ZodType[] }
  const whole = type === 'bigint' || (type === 'union' && options!.every(option => /^(bigint|number)$/.test(option._zod.def.type)))
  if (whole && type === 'union' && !options!.some(option => option._zod.def.type === 'bigint')) return
  if (whole) {
    delete at['anyOf']
    Object.assign(at, integer(go ?? 'int64'))
  } else if (type === 'date') Object.assign(at, { type: 'string', format: 'date-time' })
  else if (type === 'map') at['type'] = 'object'
  else if (at['type'] === 'integer') {
    if (at['minimum'] === -LARGE) delete at['minimum']
    // one of 64 bits that stays within what every reader of JSON holds exactly says so
    if (go === 'int64' || go === 'uint64') Object.assign(at, integer(go))
    else if (at['maximum'] === LARGE) delete at['maximum']
  }
}

function integer(go: string): JsonSchema {
  return go === 'uint64' ? { type: 'integer', format: 'uint64', minimum: 0 } : { type: 'integer', format: 'int64' }
}
