import { isExactNumber } from '../../core/go/json.ts'
import type { Json } from '../../core/index.ts'

export type JsonObject = { readonly [key: string]: Json }

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

/** Sets a member as its own, whatever its name: `__proto__` is an ordinary key of a file. */
export function put<T>(object: { [key: string]: T }, key: string, value: T): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The member's value, if it is the object's own. */
export function memberOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** `over` laid upon `under`: objects member by member, everything else replaced, but for a number that is the same and keeps its text. */
export function deepMerge(under: JsonObject, over: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(under)) put(merged, key, value)
  for (const [key, value] of Object.entries(over)) {
    const below = memberOf(under, key)
    put(merged, key, isObject(value) && isObject(below) ? deepMerge(below, value) : isSameNumber(below, value) ? below! : value)
  }
  return merged
}

function isSameNumber(exact: Json | undefined, value: Json): boolean {
  return typeof value === 'number' && isExactNumber(exact) && Object.is(Number(exact.rawJSON), value)
}

/** The same value with the members of every object sorted by name. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const result: { [key: string]: Json } = {}
  const names = Object.keys(value).sort((a, b) => (a < b ? -1 : 1))
  for (const name of names) put(result, name, sorted(value[name]!))
  return result
}

/** Of a value, what an error shows at most, in characters. */
const MAX_SHOWN = 60

/** A value as an error shows it, of a long one the beginning. */
export function shortJson(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
