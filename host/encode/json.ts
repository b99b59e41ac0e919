import { goJson, goJsonString } from '../../core/go/json.ts'
import { formatFloat64 } from '../../core/go/number.ts'
import { type AnySchema, defOf, shapeOf } from './schema.ts'

/** Writes one value as JSON. */
type JsonWriter = (value: unknown) => string

/**
 * A writer for the values of a schema, in the dialect of Go's `encoding/json`: members in the order in which they are declared, those
 * that are undefined left out; everything else as {@link goJson} has it. What the schema does not expect is written all the same.
 */
export function jsonWriter(schema: AnySchema): JsonWriter {
  return writer(schema, new Map())
}

/** @param made - objects that are being written already: a schema may contain itself */
function writer(schema: AnySchema, made: Map<AnySchema, JsonWriter>): JsonWriter {
  const def = defOf(schema)
  switch (def.type) {
    case 'object':
      return made.get(schema) ?? objectWriter(schema, made)
    case 'array':
      return arrayWriter(writer(def.element!, made))
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
      return writer(def.innerType!, made)
    case 'nullable': {
      const inner = writer(def.innerType!, made)
      return value => (value === null ? 'null' : inner(value))
    }
    case 'pipe':
      return writer(def.in!, made)
    case 'record':
      return recordWriter(writer(def.valueType!, made))
    case 'lazy': {
      let inner: JsonWriter | undefined
      return value => {
        inner ??= writer(def.getter!(), made)
        return inner(value)
      }
    }
    default:
      return goJson
  }
}

function objectWriter(schema: AnySchema, made: Map<AnySchema, JsonWriter>): JsonWriter {
  let members: ReadonlyArray<{ readonly key: string; readonly name: string; readonly write: JsonWriter }> = []
  let others: JsonWriter | undefined
  const known = new Set<string>()
  const write: JsonWriter = value => {
    if (!isPlain(value)) return goJson(value)
    let text = ''
    for (const { key, name, write: writeMember } of members) {
      const member = value[key]
      if (member === undefined) continue
      text += text === '' ? name + writeMember(member) : `,${name}${writeMember(member)}`
    }
    if (others !== undefined) {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined && !known.has(key)) text += `${text && ','}${goJsonString(key)}:${others(member)}`
      }
    }
    return `{${text}}`
  }
  made.set(schema, write)
  members = Object.entries(shapeOf(schema)).map(([key, member]) => ({ key, name: `${goJsonString(key)}:`, write: writer(member, made) }))
  for (const { key } of members) known.add(key)
  const { catchall } = defOf(schema)
  if (catchall !== undefined && defOf(catchall).type !== 'never') others = writer(catchall, made)
  return write
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
    const texts: string[] = []
    let before: unknown
    let written = ''
    for (const key of sortedByBytes(Object.keys(members))) {
      const item = members[key]
      if (item === undefined) continue
      // Of a large map many members may be one and the same.
      if (item !== before) written = write(item)
      before = item
      texts.push(`${goJsonString(key)}:${written}`)
    }
    return `{${texts.join(',')}}`
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
