import type { Json } from '../../core/index.ts'
import { nodeConfigErrors } from './errors.ts'
import { isObject, type JsonObject, memberOf, put } from './objects.ts'

/**
 * The value under a dotted key, as the file spells it (Kubo 0.28, repo/common/common.go).
 *
 * @throws E_CONFIG_KEY_ABSENT, E_CONFIG_KEY_PARENT
 */
export function valueAt(config: JsonObject, key: string): Json {
  const parts = key.split('.')
  let value: Json = config
  parts.forEach((part, i) => {
    const above = parts.slice(0, i).join('.')
    if (!isObject(value)) throw nodeConfigErrors.E_CONFIG_KEY_PARENT(above)
    const found = memberOf(value, part)
    if (found === undefined) throw nodeConfigErrors.E_CONFIG_KEY_ABSENT(above === '' ? part : `${above}.${part}`)
    value = found
  })
  return value
}

/**
 * The configuration with `value` under a dotted key; objects on the way are made where there is nothing or null.
 *
 * @throws E_CONFIG_KEY_PARENT
 */
export function withValue(config: JsonObject, key: string, value: Json): JsonObject {
  const parts = key.split('.')
  const result = copyOf(config)
  let at = result
  parts.slice(0, -1).forEach((part, i) => {
    const below = memberOf(at, part) ?? {}
    if (!isObject(below)) throw nodeConfigErrors.E_CONFIG_KEY_PARENT(parts.slice(0, i + 1).join('.'))
    const copy = copyOf(below)
    put(at, part, copy)
    at = copy
  })
  put(at, parts.at(-1)!, value)
  return result
}

function copyOf(object: JsonObject): { [key: string]: Json } {
  const copy: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(object)) put(copy, key, value)
  return copy
}
