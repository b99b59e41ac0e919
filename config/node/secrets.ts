import type { Json } from '../../core/index.ts'
import { isObject, type JsonObject, put } from './objects.ts'

/** Paths of values that nobody is shown, in lower case; `*` stands for any name. */
const REMOVED: Paths = [
  ['identity', 'privkey'],
  ['pinning', 'remoteservices', '*', 'api', 'key']
]

/** Objects that are shown without what is in them. */
const EMPTIED: Paths = [['api', 'authorizations']]

/** The configuration without the private key, the keys of pinning services and the secrets of callers, in whatever case they are written. */
export function withoutSecrets(config: JsonObject): JsonObject {
  return shown(config, [])
}

function shown(object: JsonObject, above: readonly string[]): JsonObject {
  const result: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(object)) {
    const path = [...above, key.toLowerCase()]
    // a null on the way to a secret is left out with it, as the reference does; and what is no object may be the secret, written elsewhere
    if (isOneOf(REMOVED, path) || (!isObject(value) && leadsTo(REMOVED, path))) continue
    if (isOneOf(EMPTIED, path)) put(result, key, isObject(value) ? {} : null)
    else put(result, key, isObject(value) ? shown(value, path) : value)
  }
  return result
}

type Paths = readonly (readonly string[])[]

function isOneOf(paths: Paths, path: readonly string[]): boolean {
  return leadsTo(
    paths.filter(one => one.length === path.length),
    path
  )
}

function leadsTo(paths: Paths, path: readonly string[]): boolean {
  return paths.some(one => path.length <= one.length && path.every((part, i) => one[i] === '*' || one[i] === part))
}
