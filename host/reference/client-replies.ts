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

/** The name of the type of a command's reply. */
export const replyTypeName = (path: string) => nameOf(placeOf(path))

/** The types of what commands answer, each under a name; what stands in several places is declared in the first. */
export function replyTypes(commands: readonly Command[]): string {
  const declared = commands.flatMap(schemas)
  const first = new Map<string, Declared>()
  const twice = new Set<string>()
  for (const { place, schema } of declared) collect(schema, place, true)
  const named = new Map(declared.map(one => [one.place, one]))
  for (const key of twice) {
    const one = first.get(key)!
    if (!named.has(one.place)) named.set(one.place, one)
  }
  return [...named.values()].map(({ place, schema }) => `export type ${nameOf(place)} = ${text(schema, place)}\n\n`).join('')

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

  /** A schema's type: its own text at its own place, elsewhere a reference where it has a name. */
  function text(schema: JsonSchema, place: string): string {
    const refer = (inner: JsonSchema): string | undefined => {
      const at = inner === schema || isShareable(inner) ? keyOf(inner) : ''
      const owner = twice.has(at) ? first.get(at) : undefined
      return owner === undefined || owner.place === place ? undefined : nameOf(owner.place)
    }
    return typeText(schema, { nameOf, large: 'number | bigint', refer })
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

/** A schema as text without its own description, which the member says that has it. */
const keyOf = ({ description: _, ...schema }: JsonSchema) => JSON.stringify(schema)

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
