import type { z } from 'zod'
import { type Finding, finding } from './finding.ts'

/** The members of a zod 4 definition that say what is inside. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly in?: z.ZodType
  readonly left?: z.ZodType
  readonly right?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly items?: readonly z.ZodType[]
  readonly getter?: () => z.ZodType
}

/** Kinds of values that JSON has no form for, or whose form a schema does not tell. */
const UNSHOWN = new Set(['symbol', 'function', 'promise', 'set', 'nan', 'undefined', 'void', 'never', 'file', 'custom', 'transform'])

const defOf = (schema: z.ZodType) => schema._zod?.def as unknown as Definition | undefined

/** Parts of a reply's schema that cannot be written as JSON, or shown in `/openapi.json`. */
export function schemaFindings(where: string, schema: z.ZodType): Finding[] {
  const found: Finding[] = []
  walk(schema, '', new Set(), (path, { type }) => {
    if (UNSHOWN.has(type))
      found.push(
        finding(
          `${where}${path}: a schema of '${type}' cannot be encoded and shown`,
          'use an array, an object, a string or a number instead'
        )
      )
  })
  if (defOf(schema) === undefined) found.push(finding(`${where} is no schema of zod 4`, "install 'zod' of version 4"))
  return found
}

/** The faults of a plugin's settings: a misspelt name would be taken in silence, or `on` would not do. */
export function settingsFindings(schema: z.ZodType): Finding[] {
  const definition = defOf(schema)
  if (definition?.type !== 'object')
    return [finding('its settings are no object', 'write settings: z.strictObject({ name: z.string().default(…) })')]
  const found: Finding[] = []
  walk(schema, '', new Set(), (path, { type, catchall }) => {
    if (type === 'object' && (catchall === undefined || defOf(catchall)?.type !== 'never'))
      found.push(finding(`its settings${path} take any name`, 'use z.strictObject, so that a misspelt setting is told'))
  })
  for (const { path, message } of schema.safeParse({}).error?.issues ?? [])
    found.push(finding(`its setting '${path.join('.')}' has no default (${message})`, "give it one, so that 'on' switches the plugin on"))
  return found
}

function walk(schema: z.ZodType, path: string, seen: Set<z.ZodType>, look: (path: string, definition: Definition) => void): void {
  const definition = defOf(schema)
  if (definition === undefined || seen.has(schema)) return
  seen.add(schema)
  look(path, definition)
  for (const [name, part] of Object.entries(definition.shape ?? {})) walk(part, `${path}.${name}`, seen, look)
  const { element, innerType, valueType, left, right, options = [], items = [], getter, in: first } = definition
  for (const part of [innerType, left, right, first, ...options]) if (part !== undefined) walk(part, path, seen, look)
  for (const part of [element, valueType, ...items]) if (part !== undefined) walk(part, `${path}[]`, seen, look)
  if (getter !== undefined) walk(getter(), path, seen, look)
}
