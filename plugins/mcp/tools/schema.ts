import type { BodyDeclaration, ParameterSpec } from '../../../core/index.ts'
import { FILES, type Input } from './inputs.ts'

type Schema = Readonly<Record<string, unknown>>

/** The JSON schema of a tool's input. A type of its own, so that it is one of the SDK's too. */
type InputSchema = {
  readonly type: 'object'
  readonly properties: Record<string, object>
  readonly required?: string[]
  readonly additionalProperties: false
}

export function inputSchema(inputs: readonly Input[], body: BodyDeclaration | undefined): InputSchema {
  const properties: Record<string, object> = Object.fromEntries(inputs.map(input => [input.name, schemaOf(input)]))
  if (body !== undefined) properties[FILES] = filesSchema(body)
  const required = inputs.filter(input => input.required).map(({ name }) => name)
  if (body?.required) required.push(FILES)
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false }
}

function schemaOf({ spec, required }: Input): Schema {
  const one = valueSchema(spec)
  const shape = spec.many ? { type: 'array', items: one, ...(required ? { minItems: 1 } : {}) } : one
  const standing = defaultOf(spec)
  return { ...shape, description: described(spec), ...(standing === undefined ? {} : { default: standing }) }
}

function valueSchema({ wire, choices, jsonSchema }: ParameterSpec): Schema {
  switch (wire) {
    case 'bool':
      return { type: 'boolean' }
    case 'int':
    case 'uint':
      return jsonSchema
    case 'int64':
      return { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }] }
    case 'uint64':
      return {
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: '^[0-9]+$' }
        ]
      }
    case 'float64':
      return { type: 'number' }
    case 'string':
      return { type: 'string', ...(choices === undefined ? {} : { enum: choices }) }
  }
}

/** The default, where it is one to tell: numbers of 64 bits as text where JSON would round them. */
function defaultOf({ default: standing, many }: ParameterSpec): unknown {
  if (standing === undefined || standing === '' || (many && (standing as readonly unknown[]).length === 0)) return undefined
  if (typeof standing !== 'bigint') return standing
  return Number.isSafeInteger(Number(standing)) ? Number(standing) : String(standing)
}

/** The explanations beside types that stand for more than they say. */
const FORMATS: Readonly<Record<string, string>> = {
  duration: 'A duration, e.g. 1m30s.',
  cid: 'A CID.',
  'content-path': 'A CID, or a path such as /ipfs/CID/name.',
  'peer-id': 'A peer ID.',
  multiaddr: 'A multiaddr.'
}

function described({ help, format }: ParameterSpec): string {
  const more = FORMATS[format]
  return more === undefined ? help : `${help} ${more}`
}

function filesSchema({ help, many }: BodyDeclaration): Schema {
  return {
    type: 'array',
    description: help === '' ? 'The content, as text or as base64.' : `${help} As text or as base64.`,
    minItems: 1,
    ...(many ? {} : { maxItems: 1 }),
    items: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A name, or a path such as folder/name.' },
        text: { type: 'string', description: 'The content, as text.' },
        base64: { type: 'string', description: 'The content, in base64, in the place of text.' }
      },
      additionalProperties: false
    }
  }
}
