import type { z } from 'zod'

export type AnySchema = z.ZodType

/** The members of a zod 4 definition that encoders look at. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, AnySchema>>
  readonly catchall?: AnySchema
  readonly element?: AnySchema
  readonly innerType?: AnySchema
  readonly valueType?: AnySchema
  readonly in?: AnySchema
  readonly format?: string
  readonly options?: readonly AnySchema[]
  readonly getter?: () => AnySchema
}

export function defOf(schema: AnySchema): Definition {
  return schema._zod.def as unknown as Definition
}

export function shapeOf(schema: AnySchema): Readonly<Record<string, AnySchema>> {
  return defOf(schema).shape ?? {}
}

/** How the reference's own type differs from what JSON shows, for the encodings that print types: `schema.meta({ go: 'uint64' })`. */
interface GoMeta {
  /** Go's name of the type: `int64`, `map[string]pin.PinLsType`. */
  readonly go?: string
  /** The name of the element in XML where it is not the member's. */
  readonly xml?: string
  /** The text that Go's `%s` prints for a value of this type (its `String` method). */
  readonly string?: (value: unknown) => string
}

function goMeta(schema: AnySchema): GoMeta {
  return (schema.meta() ?? {}) as GoMeta
}

const WRAPPERS = new Set(['optional', 'nonoptional', 'default', 'prefault', 'readonly', 'catch', 'nullable'])

/** The schema inside wrappers such as `optional()`, and what is said about it on the way. */
export function unwrapped(schema: AnySchema): { schema: AnySchema; meta: GoMeta } {
  let meta = goMeta(schema)
  let inner = schema
  for (;;) {
    const def = defOf(inner)
    const next = WRAPPERS.has(def.type) ? def.innerType : def.type === 'pipe' ? def.in : def.type === 'lazy' ? def.getter?.() : undefined
    if (next === undefined) return { schema: inner, meta }
    inner = next
    meta = { ...goMeta(inner), ...meta }
  }
}

/** Whether a schema is an object with nothing but `/`: how a CID looks in JSON. */
export function isLink(schema: AnySchema): boolean {
  const keys = Object.keys(shapeOf(schema))
  return keys.length === 1 && keys[0] === '/'
}

/** Go's name of a number's type. */
export function numberType({ schema, meta }: { schema: AnySchema; meta: GoMeta }): string {
  const { type, format } = defOf(schema)
  return meta.go ?? (type === 'bigint' ? 'uint64' : format === undefined ? 'float64' : 'int')
}
