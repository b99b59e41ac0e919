import type { JsonSchema } from '../openapi/types.ts'

interface TypeTextOptions {
  /** The name that stands for a reference. */
  readonly nameOf: (reference: string) => string
  /** The type's name for a whole number of 64 bits that may be larger than a JavaScript number holds exactly. */
  readonly large: string
  readonly indent?: string
  /** The name that stands for a schema instead of its text, where it has one. */
  readonly refer?: (schema: JsonSchema) => string | undefined
}

interface Parts {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly maximum?: number
  readonly $ref?: string
}

/** Members that stand on one line, where none has a comment. */
const SHORT = 2

/** A JSON Schema as TypeScript writes the type: a member a line, but a short object all on one. */
export function typeText(schema: JsonSchema, options: TypeTextOptions): string {
  const parts = schema as Parts
  const { nameOf, large, refer } = options
  const name = refer?.(schema)
  if (name !== undefined) return name
  if (parts.$ref !== undefined) return nameOf(parts.$ref)
  if ('const' in parts) return JSON.stringify(parts.const)
  if (parts.enum !== undefined) return parts.enum.map(one => JSON.stringify(one)).join(' | ')
  const choices = parts.anyOf ?? parts.oneOf
  if (choices !== undefined) return [...new Set(choices.map(one => typeText(one, options)))].join(' | ')
  if (parts.allOf !== undefined) return parts.allOf.map(one => typeText(one, options)).join(' & ')
  switch (parts.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return parts.type
    case 'number':
      return 'number'
    case 'integer':
      return /int64$/.test(parts.format ?? '') && parts.maximum === undefined ? large : 'number'
    case 'array':
      return listText(parts, options)
    case 'object':
      return objectText(parts, options)
    default:
      return 'unknown'
  }
}

function listText({ items, prefixItems }: Parts, options: TypeTextOptions): string {
  if (prefixItems !== undefined) return `[${prefixItems.map(one => typeText(one, options)).join(', ')}]`
  const item = items === undefined ? 'unknown' : typeText(items, options)
  return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`
}

function objectText({ properties = {}, required = [], additionalProperties }: Parts, options: TypeTextOptions): string {
  const { indent = '' } = options
  const inner = { ...options, indent: `${indent}  ` }
  const members = Object.entries(properties).map(([key, member]) => {
    const comment =
      typeof member['description'] === 'string' ? `${inner.indent}/** ${member['description'].replaceAll('*/', '*\\/')} */\n` : ''
    return `${comment}${inner.indent}${propertyName(key)}${required.includes(key) ? '' : '?'}: ${typeText(member, inner)}\n`
  })
  const others = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0 ? additionalProperties : undefined
  if (members.length === 0) return `Record<string, ${others === undefined ? 'unknown' : typeText(others, options)}>`
  const line = `{ ${members.map(text => text.trim()).join('; ')} }`
  return members.length <= SHORT && !line.includes('\n') ? line : `{\n${members.join('')}${indent}}`
}

/** A member's name, quoted where it is no identifier. */
export function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key.replaceAll("'", "\\'")}'`
}

/** `#/components/schemas/pin.ls_item` → `PinLsItem`. */
export function typeName(reference: string): string {
  const words = reference.slice(reference.lastIndexOf('/') + 1).split(/[^A-Za-z0-9]+/)
  return words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}
