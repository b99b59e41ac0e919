import type { z } from 'zod'
import type { Command } from '../../core/index.ts'
import { wireSchemas } from '../openapi/schemas.ts'
import type { JsonSchema } from '../openapi/types.ts'
import { typeName, typeText } from './type-text.ts'

interface Declared {
  /** Where the schema would stand in a document; it gives the type its name. */
  readonly place: string
  readonly schema: JsonSchema
}

/** Objects with fewer members are written out wherever they stand within a reply. */
const FEWEST_SHARED_MEMBERS = 3

const placeOf = (path: string) => `#/components/schemas/${path.replaceAll('/', '.')}`
const nameOf = (reference: string) => `${typeName(reference)}Reply`

/** The types of what commands answer. */
export interface ReplyTypes {
  /** Their declarations, each under a name; what stands in several places is declared in the first, and exported under the other names too. */
  readonly text: string
  /** The name under which the reply of a command is declared; of a part of it by `path_part`. */
  name(path: string): string
}

export function replyTypes(commands: readonly Command[]): ReplyTypes {
  const declared = commands.flatMap(schemas)
  const first = new Map<string, Declared>()
  const twice = new Set<string>()
  for (const { place, schema } of declared) collect(schema, place, true)
  const named = new Map(declared.map(one => [one.place, one]))
  for (const key of twice) {
    const one = first.get(key)!
    if (!named.has(one.place)) named.set(one.place, one)
  }
  const declarations = [...named.values()].filter(isFirst).map(one => `export type ${nameOf(one.place)} = ${text(one)}\n\n`)
  const others = [...named.values()].filter(one => !isFirst(one)).map(one => `${text(one)} as ${nameOf(one.place)}`)
  if (others.length > 0) declarations.push(`export type { ${others.join(', ')} }\n\n`)
  return { text: declarations.join(''), name: path => nameAt(placeOf(path)) }

  function collect(schema: JsonSchema, place: string, isRoot = false): void {
    if (isRoot ? hasMembers(schema) : isShareable(schema)) {
      const key = keyOf(schema)
      if (first.has(key)) {
        twice.add(key)
        return
      }
      first.set(key, { place, schema })
    }
    for (const [name, inner] of innerSchemas(schema)) collect(inner, name === undefined ? place : `${place}.${name}`)
  }

  function isFirst({ schema, place }: Declared): boolean {
    return (ownerOf(schema)?.place ?? place) === place
  }

  function ownerOf(schema: JsonSchema): Declared | undefined {
    const key = keyOf(schema)
    return twice.has(key) ? first.get(key) : undefined
  }

  function nameAt(place: string): string {
    const one = named.get(place)
    return nameOf((one && ownerOf(one.schema)?.place) ?? place)
  }

  /** A schema's type: its own text at its own place, elsewhere a reference where it has a name. */
  function text({ schema, place }: Declared): string {
    const refer = (inner: JsonSchema): string | undefined => {
      const owner = inner === schema || isShareable(inner) ? ownerOf(inner) : undefined
      return owner === undefined || owner.place === place ? undefined : nameOf(owner.place)
    }
    return typeText(schema, { nameOf: nameAt, large: 'number | bigint', refer })
  }
}

function schemas({ path, reply }: Command): Declared[] {
  const declare = (name: string, schema: z.ZodType): Declared[] => {
    const place = placeOf(name)
    const { root, parts } = wireSchemas(schema, place)
    return [{ place, schema: root }, ...Object.entries(parts).map(([part, of]) => ({ place: `${place}.${part}`, schema: of }))]
  }
  switch (reply.kind) {
    case 'value':
    case 'stream':
      return declare(path, reply.schema)
    case 'either':
      return [...declare(path, reply.value), ...declare(`${path}_item`, reply.items)]
    default:
      return []
  }
}

/** A schema as text, whatever the order of its members, and without its own description, which the member says that has it. */
const keyOf = ({ description: _, ...schema }: JsonSchema) =>
  JSON.stringify(schema, (_key, value: unknown) => {
    if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
    const { required, ...others } = value as { readonly required?: unknown }
    const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
    return { ...Object.fromEntries(sorted), ...(Array.isArray(required) ? { required: required.toSorted() } : { required }) }
  })

const hasMembers = (schema: JsonSchema) => keyOf(schema).includes('"properties":')

const isShareable = ({ properties }: JsonSchema) =>
  typeof properties === 'object' && Object.keys(properties as object).length >= FEWEST_SHARED_MEMBERS

/** The schemas within one, those of members with the member's name. */
function innerSchemas(schema: JsonSchema): (readonly [string | undefined, JsonSchema])[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], prefixItems = [], items, additionalProperties } = schema
  const others = [anyOf, oneOf, allOf, prefixItems, items, additionalProperties]
    .flat()
    .filter(one => typeof one === 'object' && one !== null)
  return [...Object.entries(properties as Record<string, JsonSchema>), ...others.map(one => [undefined, one as JsonSchema] as const)]
}
