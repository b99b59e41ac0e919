import { z } from 'zod'
import type { JsonSchema } from '../openapi/types.ts'
import { code, table } from './markdown.ts'
import { typeName, typeText } from './type-text.ts'

/** One setting of a configuration file. */
interface SettingRow {
  /** `limits.headerBytes` */
  readonly key: string
  readonly allowed: string
  readonly default: string
  readonly help: string
}

/** The settings of a block as a table. */
export function settingsTable(schema: z.ZodType, prefix = ''): string {
  return table(
    ['Setting', 'Allowed', 'Default', ''],
    settingRows(schema, prefix).map(row => [code(row.key), row.allowed, row.default === '' ? '' : code(row.default), row.help])
  )
}

/** Every setting of a block, those of blocks in it behind them. */
export function settingRows(schema: z.ZodType, prefix = ''): SettingRow[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: allowedText }) as JsonSchema
  return rowsOf(json, prefix)
}

/** The values that may be given: by the schema's own message, else by its type. */
const allowedText: NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']> = ({ zodSchema, jsonSchema }) => {
  const { error } = zodSchema._zod.def as { error?: (issue: unknown) => unknown }
  const text = typeof error === 'function' ? error({ code: 'invalid_type', input: undefined }) : undefined
  if (typeof text === 'string') Object.assign(jsonSchema, { 'x-allowed': text })
}

/** @param about - the block, for settings in it that say nothing themselves */
function rowsOf(schema: JsonSchema, prefix: string, about = ''): SettingRow[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, JsonSchema>> }
  return Object.entries(properties).flatMap(([name, member]) => {
    const key = prefix + name
    const help = String(member['description'] ?? about)
    const inner = rowsOf(member, `${key}.`, help)
    return inner.length > 0 ? inner : [{ key, allowed: allowed(member), default: defaultText(member), help }]
  })
}

function allowed(schema: JsonSchema): string {
  if (typeof schema['x-allowed'] === 'string') return schema['x-allowed']
  const { minimum, maximum, exclusiveMinimum } = schema as Record<string, number | undefined>
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1)
  const lines = typeText(schema, { nameOf: typeName, large: 'number' }).split('\n')
  const text = code(lines.map(line => line.trim()).join(' '))
  const low = least === undefined || least === Number.MIN_SAFE_INTEGER ? undefined : `from ${least}`
  const high = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : `to ${maximum}`
  return [text, low, high].filter(part => part !== undefined).join(' ')
}

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
