import { type Command, globalOptions, namesOf, type ParameterSpec, wireName } from '../../core/index.ts'
import type { JsonSchema, ParameterObject, Reference } from './types.ts'

const GLOBAL = '#/components/parameters/'

/** The options that every command takes, as shared components. */
export function globalParameters(): Record<string, ParameterObject> {
  return Object.fromEntries(Object.entries(globalOptions).map(([key, { spec }]) => [wireName(key, spec), optionParameter(key, spec)]))
}

/** The parameters of a command's query: its arguments as `arg`, its options, and those of all commands. */
export function queryParameters({ args, options }: Command): Array<ParameterObject | Reference> {
  const ofCommand = Object.entries(options).map(([key, { spec }]) => optionParameter(key, spec))
  const taken = new Set(ofCommand.map(({ name }) => name))
  const shared = Object.entries(globalOptions)
    .filter(([key]) => !Object.hasOwn(options, key))
    .map(([key, { spec }]) => wireName(key, spec))
    .filter(name => !taken.has(name))
  return [...argumentParameter(args), ...ofCommand, ...shared.map(name => ({ $ref: GLOBAL + name }))]
}

function optionParameter(key: string, spec: ParameterSpec): ParameterObject {
  const [name, ...aliases] = namesOf(key, spec) as [string, ...string[]]
  const also = aliases.length === 0 ? '' : ` Also: ${aliases.map(alias => `\`${alias}\``).join(', ')}.`
  const schema = withDefault(valueSchema(spec), spec)
  return {
    name,
    in: 'query',
    description: spec.help + also,
    ...(spec.many ? repeated : {}),
    schema,
    ...(aliases.length === 0 ? {} : { 'x-aliases': aliases }),
    'x-name': key
  }
}

const repeated = { style: 'form', explode: true } as const

/** Positional arguments are values of `arg`, in order. */
function argumentParameter(args: Command['args']): ParameterObject[] {
  const list = Object.entries(args)
  if (list.length === 0) return []
  const needed = list.filter(([, { spec }]) => !spec.optional && spec.default === undefined)
  const inQuery = needed.filter(([, { spec }]) => !spec.fromBody)
  const single = list.length === 1 && !list[0]![1].spec.many
  const most = list.at(-1)![1].spec.many ? {} : { maxItems: list.length }
  return [
    {
      name: 'arg',
      in: 'query',
      description: list.map(([key, { spec }], i) => `${i + 1}. ${argumentText(key, spec)}`).join('\n'),
      required: inQuery.length > 0,
      ...(single ? {} : repeated),
      schema: single
        ? withDefault(itemSchema(list[0]![1].spec), list[0]![1].spec)
        : { type: 'array', items: { type: 'string' }, minItems: inQuery.length, ...most },
      'x-arguments': list.map(([key, { spec }]) => ({
        name: wireName(key, spec),
        format: spec.format,
        required: !spec.optional && spec.default === undefined,
        repeated: spec.many,
        fromBody: spec.fromBody,
        schema: itemSchema(spec)
      }))
    }
  ]
}

function argumentText(key: string, spec: ParameterSpec): string {
  const more = [
    spec.optional || spec.default !== undefined ? 'may be left out' : undefined,
    spec.many ? 'any number of them' : undefined,
    spec.fromBody ? 'may come in the body, one a line' : undefined
  ].filter(text => text !== undefined)
  return `\`${wireName(key, spec)}\`: ${spec.help}${more.length === 0 ? '' : ` (${more.join('; ')})`}`
}

/** The schema of one value of a parameter in a query. */
function itemSchema({ jsonSchema, choices }: ParameterSpec): JsonSchema {
  return choices === undefined ? jsonSchema : { ...jsonSchema, examples: choices }
}

function valueSchema(spec: ParameterSpec): JsonSchema {
  return spec.many ? { type: 'array', items: itemSchema(spec) } : itemSchema(spec)
}

/** Durations are `bigint` in code, text on the wire; other defaults look the same in both. */
function withDefault(schema: JsonSchema, { default: value, format }: ParameterSpec): JsonSchema {
  if (value === undefined) return schema
  const plain = typeof value === 'bigint' ? (format === 'duration' ? `${value}ns` : Number(value)) : value
  return { ...schema, default: plain }
}
