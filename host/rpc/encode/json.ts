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
    const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined
    if (entries === undefined) return goJson(value)
    let text = ''
    for (const [key, item] of sortedByBytes(entries)) {
      if (item !== undefined) text += `${text && ','}${goJsonString(String(key))}:${write(item)}`
    }
    return `{${text}}`
  }
}

export function sortedByBytes<T>(entries: ReadonlyArray<readonly [unknown, T]>): ReadonlyArray<readonly [unknown, T]> {
  // UTF-16 order is byte order unless a key has surrogates
  const plain = entries.every(([key]) => !/[\ud800-\udfff]/.test(String(key)))
  return [...entries].sort(([a], [b]) => {
    const [x, y] = [String(a), String(b)]
    return plain ? (x < y ? -1 : x > y ? 1 : 0) : Buffer.compare(Buffer.from(x), Buffer.from(y))
  })
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Uint8Array)
}
