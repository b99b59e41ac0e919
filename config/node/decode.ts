import { isExactNumber, plainNumbers } from '../../core/go/json.ts'
import type { Json } from '../../core/index.ts'
import { deepMerge, isObject, type JsonObject, memberOf, put, shortJson } from './objects.ts'
import { any, type Field, type ListType, type MapType, Refusal, type StructType, type Type } from './types.ts'

/** A value that does not fit its key. */
export interface Misfit {
  /** `Datastore.StorageGCWatermark` */
  readonly key: string
  readonly value: Json
  /** The values that may stand there. */
  readonly allowed: string
  /** The complaint as the reference's decoder words it. */
  readonly text: string
}

class Stop extends Error {
  readonly misfit: Misfit

  constructor(misfit: Misfit) {
    super(misfit.text)
    this.misfit = misfit
  }
}

type Refused = (misfit: Misfit) => void

/**
 * Where the decoder is: the struct it is in, and the dotted path of fields to here (map keys and positions do not count in it). `refused`:
 * told of what does not fit, and the decoder goes on without it.
 */
interface At {
  readonly struct: string
  readonly fields: string
  readonly key: string
  readonly refused?: Refused | undefined
}

const START: At = { struct: '', fields: '', key: '' }

/**
 * Reads `value` as the typed configuration: keys without regard to case, unknown ones dropped, absent ones at their zero, empty
 * optional ones left out; members in the schema's order.
 *
 * @param refused - told of each value that does not fit, which counts as absent; without it the first one ends the work
 */
export function decode(
  schema: StructType,
  value: JsonObject,
  refused?: Refused
): { readonly typed: JsonObject } | { readonly misfit: Misfit } {
  try {
    return { typed: read(schema, value, { ...START, refused }) as JsonObject }
  } catch (error) {
    if (error instanceof Stop) return { misfit: error.misfit }
    throw error
  }
}

/** A value that is read; undefined for one that does not fit, where the decoder goes on without. */
function readOrTell(type: Type, value: Json, at: At): Json | undefined {
  try {
    return read(type, value, at)
  } catch (error) {
    return tell(error, at)
  }
}

function tell(error: unknown, { refused }: At): undefined {
  if (refused === undefined || !(error instanceof Stop)) throw error
  refused(error.misfit)
}

/** The value of an absent key of this type. */
function zero(type: Type): Json {
  if (type.kind === 'scalar') return type.zero
  if (type.kind !== 'struct') return null
  return readStruct(type, {}, START)
}

function read(type: Type, value: Json, at: At): Json {
  switch (type.kind) {
    case 'scalar': {
      const result = type.read(isExactNumber(value) && type !== any ? plainNumbers<Json>(value) : value)
      if (!(result instanceof Refusal)) return result
      const told = typeof result.text === 'function' ? result.text(at.key) : result.text
      const unfit = result.part ?? value
      throw new Stop({ key: at.key, value: unfit, allowed: type.allowed, text: told ?? mismatch(unfit, result.go, at) })
    }
    case 'list':
      return readList(type, value, at)
    case 'map':
      return readMap(type, value, at)
    case 'struct':
      if (value === null) return zero(type)
      if (!isObject(value)) throw misfit(value, type.go, 'an object', at)
      return readStruct(type, value, at)
  }
}

function readList({ go, of }: ListType, value: Json, at: At): Json {
  if (value === null) return null
  if (!Array.isArray(value)) throw misfit(value, go, 'a list', at)
  return value.map((item, i) => read(of, item, { ...at, key: `${at.key}[${i}]` }))
}

function readMap({ go, of, keys }: MapType, value: Json, at: At): Json {
  if (value === null) return null
  if (!isObject(value)) throw misfit(value, go, 'an object', at)
  const result: { [key: string]: Json } = {}
  const mayBeNull = go.includes(']*')
  for (const [key, item] of Object.entries(value)) {
    const here = { ...at, key: `${at.key}.${key}` }
    if (keys?.fits(key) === false) {
      const { allowed } = keys
      tell(new Stop({ key: here.key, value: item, allowed, text: `${at.key} has the key ${shortJson(key)}; allowed: ${allowed}` }), at)
      continue
    }
    const found = item === null && mayBeNull ? null : readOrTell(of, item, here)
    if (found !== undefined) put(result, key, found)
  }
  return result
}

function readStruct(type: StructType, value: JsonObject, at: At): JsonObject {
  const given = byField(type, value)
  const result: { [key: string]: Json } = {}
  for (const field of type.fields) {
    const raw = given.get(field.name)
    const join = (path: string) => (path === '' ? field.name : `${path}.${field.name}`)
    const here = { ...at, struct: type.name, fields: join(at.fields), key: join(at.key) }
    const item = raw === undefined || (raw === null && field.optional) ? undefined : readOrTell(field.type, raw, here)
    if (item === undefined) {
      if (!field.optional) result[field.name] = zero(field.type)
    } else if (!field.optional || !isEmpty(field, item)) result[field.name] = item
  }
  return result
}

/** The document's members by the field they mean; names match without regard to case. Of several the last wins, and objects become one. */
function byField(type: StructType, value: JsonObject): Map<string, Json> {
  const exact = new Set(type.fields.map(f => f.name))
  const folded = new Map(type.fields.map(f => [f.name.toLowerCase(), f.name]))
  const given = new Map<string, Json>()
  for (const [key, item] of Object.entries(value)) {
    const name = exact.has(key) ? key : folded.get(key.toLowerCase())
    if (name === undefined) continue
    const before = given.get(name)
    given.set(name, isObject(before) && isObject(item) ? deepMerge(before, item) : item)
  }
  return given
}

function isEmpty({ type }: Field, value: Json): boolean {
  if (value === null) return true
  if (type.kind === 'scalar') return value === type.zero
  if (type.kind === 'struct') return false
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

const misfit = (value: Json, go: string, allowed: string, at: At) =>
  new Stop({ key: at.key, value, allowed, text: mismatch(value, go, at) })

function mismatch(value: Json, go: string, { struct, fields }: At): string {
  const plain = plainNumbers(value)
  const found = typeof plain === 'number' && go.startsWith('int') ? `number ${plain}` : kindOf(plain)
  if (fields === '') return `json: cannot unmarshal ${found} into Go value of type ${go}`
  return `json: cannot unmarshal ${found} into Go struct field ${struct}.${fields} of type ${go}`
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : (typeof value as string)
}

/** The typed configuration with every key's effective value filled in where the file says nothing. */
export function effective(type: StructType, typed: JsonObject): JsonObject {
  const result: { [key: string]: Json } = {}
  for (const field of type.fields) {
    const said = memberOf(typed, field.name)
    const value = isUnsaid(field, said) ? field.effective : said
    const filled = fill(field.type, value)
    if (filled !== undefined) result[field.name] = filled
  }
  return result
}

function isUnsaid(field: Field, value: Json | undefined): boolean {
  if (field.effective === undefined) return value === undefined
  if (value === undefined || value === null || value === '') return true
  if (value === 0) return !field.optional
  return Array.isArray(value) && value.length === 0
}

function fill(type: Type, value: Json | undefined): Json | undefined {
  if (type.kind === 'struct') return effective(type, isObject(value) ? value : {})
  if (type.kind !== 'map' || type.of.kind !== 'struct' || !isObject(value)) return value
  const filled: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value)) put(filled, key, isObject(item) ? effective(type.of, item) : item)
  return filled
}
