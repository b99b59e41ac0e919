import { goJson, goJsonString } from '../../../core/go/json.ts'
import { formatFloat64 } from '../../../core/go/number.ts'
import { type AnySchema, defOf, shapeOf } from './schema.ts'

/** Writes one value as JSON. */
export type JsonWriter = (value: unknown) => string

/**
 * A writer for the values of a schema, in the dialect of Go's `encoding/json`: members in the order in which they are declared, those
 * that are undefined left out; everything else as {@link goJson} has it. What the schema does not expect is written all the same.
 */
export function jsonWriter(schema: AnySchema): JsonWriter {
  const def = defOf(schema)
  switch (def.type) {
    case 'object':
      return objectWriter(schema)
    case 'array':
      return arrayWriter(jsonWriter(def.element!))
    case 'string':
      return value => (typeof value === 'string' ? goJsonString(value) : goJson(value))
    case 'number':
      return value => (typeof value === 'number' && Number.isFinite(value) ? formatFloat64(value) : goJson(value))
    case 'optional':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return jsonWriter(def.innerType!)
    case 'nullable': {
      const inner = jsonWriter(def.innerType!)
      return value => (value === null ? 'null' : inner(value))
    }
    case 'pipe':
      return jsonWriter(def.in!)
    case 'record':
      return recordWriter(jsonWriter(def.valueType!))
    case 'lazy': {
      // a schema may contain itself, so it is looked into when a value is there
      let inner: JsonWriter | undefined
      return value => {
        inner ??= jsonWriter(def.getter!())
        return inner(value)
      }
    }
    default:
      return goJson
  }
}

function objectWriter(schema: AnySchema): JsonWriter {
  const members = Object.entries(shapeOf(schema)).map(([key, member]) => ({
    key,
    name: `${goJsonString(key)}:`,
    write: jsonWriter(member)
  }))
  const known = new Set(members.map(member => member.key))
  const { catchall } = defOf(schema)
  const others = catchall === undefined || defOf(catchall).type === 'never' ? undefined : jsonWriter(catchall)
  return value => {
    if (!isPlain(value)) return goJson(value)
    let text = ''
    for (const { key, name, write } of members) {
      const member = value[key]
      if (member === undefined) continue
      text += text === '' ? name + write(member) : `,${name}${write(member)}`
    }
    if (others !== undefined) {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined && !known.has(key)) text += `${text && ','}${goJsonString(key)}:${others(member)}`
      }
    }
    return `{${text}}`
  }
}

function arrayWriter(write: JsonWriter): JsonWriter {
  return value => {
    if (!Array.isArray(value)) return goJson(value)
    let text = ''
    for (const item of value) text += text === '' ? write(item) : `,${write(item)}`
    return `[${text}]`
  }
}

/** Keys are sorted by bytes, as Go writes maps. */
function recordWriter(write: JsonWriter): JsonWriter {
  return value => {
    if (!(value instanceof Map) && !isPlain(value)) return goJson(value)
    const members = membersOf(value)
    let text = ''
    for (const key of sortedByBytes(Object.keys(members))) {
      const item = members[key]
      if (item !== undefined) text += `${text && ','}${goJsonString(key)}:${write(item)}`
    }
    return `{${text}}`
  }
}

/** The members of an object, or of a map by the text of its keys. */
export function membersOf(value: object): Readonly<Record<string, unknown>> {
  return value instanceof Map ? Object.fromEntries(value) : (value as Record<string, unknown>)
}

const SURROGATE = /[\ud800-\udfff]/

/** UTF-16 order, in which the engine sorts by itself, is byte order unless a key has surrogates. */
export function sortedByBytes(keys: string[]): string[] {
  return keys.some(key => SURROGATE.test(key)) ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : keys.sort()
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Uint8Array)
}
