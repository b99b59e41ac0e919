import type { Json } from '../../core/index.ts'

/**
 * The kinds of values that node configuration keys hold. Each keeps the name that the reference's decoder gives its type, since that
 * name is part of the error a caller is answered (Kubo 0.28, config/types.go).
 */
export type Type = Scalar | ListType | MapType | StructType

/** A value with its own reading rule: `read` answers the value as it is written back, or says what is wrong. */
export interface Scalar {
  readonly kind: 'scalar'
  readonly zero: Json
  /** The values that may stand here, for a person. */
  readonly allowed: string
  read(value: Json): Json | Refusal
}

export interface ListType {
  readonly kind: 'list'
  readonly go: string
  readonly of: Type
}

export interface MapType {
  readonly kind: 'map'
  readonly go: string
  readonly of: Type
  /** The keys that may stand in it; undefined for any. */
  readonly keys: { readonly allowed: string; fits(key: string): boolean } | undefined
}

export interface StructType {
  readonly kind: 'struct'
  /** `Datastore`; empty for a type without a name. */
  readonly name: string
  readonly go: string
  readonly fields: readonly Field[]
}

export interface Field {
  readonly name: string
  readonly type: Type
  /** Whether it is left out of the file while it is empty. */
  readonly optional: boolean
  /** The value that holds while the file has none. */
  readonly effective: Json | undefined
}

/** Why a value does not fit. `go` is a type name where the decoder speaks of types; `text` is the whole complaint where it does not. */
export class Refusal {
  readonly go: string
  /** What is told; a function gets the key. */
  readonly text: string | ((key: string) => string) | undefined
  /** The part of the value that does not fit, where that is not all of it. */
  readonly part: Json | undefined

  constructor(go: string, text?: Refusal['text'], part?: Json) {
    this.go = go
    this.text = text
    this.part = part
  }
}

const scalar = (zero: Json, allowed: string, read: Scalar['read']): Scalar => ({ kind: 'scalar', zero, allowed, read })

const isInt64 = (value: Json): value is number => Number.isInteger(value) && Math.abs(value as number) < 2 ** 63

export const bool = scalar(false, 'true or false', v => (v === null ? false : typeof v === 'boolean' ? v : new Refusal('bool')))
export const string = scalar('', 'a string', v => (v === null ? '' : typeof v === 'string' ? v : new Refusal('string')))
const integer = (go: string) => scalar(0, 'an integer', v => (v === null ? 0 : isInt64(v) ? v : new Refusal(go)))
export const int = integer('int')
export const int64 = integer('int64')
export const any = scalar(null, 'any JSON value', v => v)

/** Three states: null is "the default". */
export const flag = scalar(null, 'true, false or null (the default)', v =>
  v === null || typeof v === 'boolean'
    ? v
    : new Refusal('', `failed to unmarshal ${JSON.stringify(JSON.stringify(v))} into a flag: must be null/undefined, true, or false`)
)

/** Lower numbers come first; false switches off; null is "the default". */
export const priority = scalar(null, 'a positive integer, false (off) or null (the default)', v => {
  if (v === null || v === false) return v
  if (v === true) return new Refusal('', "'true' is not a valid priority")
  if (!isInt64(v)) return new Refusal('int64')
  return v > 0 ? v : new Refusal('', `priority must be positive: ${v} <= 0`)
})

export const optionalInteger = scalar(null, 'an integer or null (the default)', v => (v === null || isInt64(v) ? v : new Refusal('int64')))
export const optionalString = scalar(null, 'a string or null (the default)', v =>
  v === null || typeof v === 'string' ? v : new Refusal('string')
)

/** Null, one string, or a list of them; a list of one is written back as the string. */
export const strings = scalar(null, 'a string, a list of strings, or null', v => {
  if (v === null || v === '') return null
  if (typeof v === 'string') return v
  if (!Array.isArray(v)) return new Refusal('string')
  const odd = v.findIndex(item => item !== null && typeof item !== 'string')
  if (odd >= 0) return new Refusal('string', undefined, v[odd])
  const all = v.map(item => item ?? '')
  return all.length === 0 ? null : all.length === 1 ? all[0]! : all
})

export const list = (go: string, of: Type): ListType => ({ kind: 'list', go: `[]${go}`, of })
export const stringList = list('string', string)
export const map = (go: string, of: Type, keys?: MapType['keys']): MapType => ({ kind: 'map', go, of, keys })
export const headers = map('map[string][]string', stringList)

export const struct = (name: string, fields: readonly Field[], go = `config.${name}`): StructType => ({ kind: 'struct', name, go, fields })

export const field = (name: string, type: Type, effective?: Json): Field => ({ name, type, optional: false, effective })
export const optional = (name: string, type: Type, effective?: Json): Field => ({ name, type, optional: true, effective })
