import { goJsonIndented, parseJsonExactly, plainNumbers } from '../../core/go/json.ts'
import { endOfJson, JsonTextError, placeText } from '../../core/go/json-text.ts'
import { goQuote } from '../../core/go/quote.ts'
import { withoutMark } from '../../core/go/utf8.ts'
import type { Identity, Json, NodeConfig, NodeConfigModel, RefusedValue } from '../../core/index.ts'
import { nodeKeys } from './catalogue.ts'
import { decode, effective, type Misfit } from './decode.ts'
import { bootstrapPeers, freshConfig } from './defaults.ts'
import { nodeConfigErrors } from './errors.ts'
import { valueAt, withValue } from './keys.ts'
import { deepMerge, isObject, type JsonObject, memberOf, put, shortJson, sorted } from './objects.ts'
import { profiles } from './profiles.ts'
import { nodeSchema } from './schema.ts'
import { withoutSecrets } from './secrets.ts'
import { stopping } from './start.ts'

export { durationProblems } from './durations.ts'

/** The node configuration in the shape of Kubo 0.28. */
export const nodeConfigModel: NodeConfigModel = {
  create: ({ peerId, privateKey }: Identity) => typed(freshConfig(peerId, Buffer.from(privateKey).toString('base64'))),
  keys: nodeKeys,
  profiles: () => profiles,
  applyProfile,
  parse,
  checkStart,
  stopping,
  print: (config, options) => printed(options?.sorted ? (sorted(config) as NodeConfig) : config),
  typed,
  effective: (config, refused) => plainNumbers(withUnknown(effective(nodeSchema, typed(config, refused)), config)),
  merge: deepMerge,
  read: valueAt,
  write: withValue,
  shown: config => sorted(withoutSecrets(config)) as NodeConfig,
  bootstrapPeers
}

async function applyProfile(name: string, config: NodeConfig): Promise<NodeConfig> {
  const profile = profiles.get(name)
  if (profile === undefined) throw nodeConfigErrors.E_PROFILE_UNKNOWN(name)
  const changes = await profile.changes(config)
  const changed = Object.entries(changes).reduce((whole, [key, value]) => withKey(whole, key.split('.'), value), config)
  return typed(changed)
}

function typed(config: NodeConfig, refused?: (value: RefusedValue) => void): NodeConfig {
  const result = decode(nodeSchema, config, refused && (misfit => refused(refusal(misfit))))
  if ('misfit' in result) throw refusal(result.misfit)
  return result.typed
}

const refusal = ({ text, key, value, allowed }: Misfit): RefusedValue =>
  Object.assign(nodeConfigErrors.E_CONFIG_TYPE(text), { key, value, allowed })

function parse(text: string, file: string, refused?: (value: RefusedValue) => void): NodeConfig {
  const config = parsed(text, file)
  if (!isObject(config)) throw nodeConfigErrors.E_CONFIG_VALUE(file, 'the whole file', shown('', config), 'one JSON object')
  typed(config, ({ key, value, allowed }) => {
    const error = nodeConfigErrors.E_CONFIG_VALUE(file, key, shown(key, value), allowed)
    if (refused === undefined) throw error
    refused(Object.assign(error, { key, value, allowed }))
  })
  return config
}

/** Objects and lists that may lie in each other, as `config replace` takes them too. */
const MAX_DEPTH = 256

/** A JSON text. The engine's own message may have a piece of the private key in it, and not always a place. @throws E_CONFIG_SYNTAX */
function parsed(given: string, file: string): Json {
  const text = withoutMark(given)
  try {
    endOfJson(text, { maxDepth: MAX_DEPTH })
    return parseJsonExactly(text) as Json
  } catch (error) {
    const problem = error instanceof JsonTextError ? `${error.message} (${placeText(error.place)})` : 'it cannot be read'
    throw nodeConfigErrors.E_CONFIG_SYNTAX(file, problem)
  }
}

/** @throws E_CONFIG_BYTES */
function printed(config: JsonObject): string {
  const broken = brokenKey(config, '')
  if (broken !== undefined) throw nodeConfigErrors.E_CONFIG_BYTES(goQuote(broken))
  return goJsonIndented(config)
}

/** Bytes that are no UTF-8, as `decodeUtf8` keeps them: JSON cannot say them. */
const BROKEN = /(?<![\ud800-\udbff])[\udc80-\udcff]/

/** The first key that has such bytes, or whose value has. */
function brokenKey(value: Json, key: string): string | undefined {
  if (typeof value === 'string') return BROKEN.test(value) ? key : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, below] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${key}[${name}]` : key === '' ? name : `${key}.${name}`
    const found = BROKEN.test(name) ? at : brokenKey(below, at)
    if (found !== undefined) return found
  }
  return undefined
}

function checkStart(config: NodeConfig, file: string): void {
  const experimental = typed(config)['Experimental']
  if (isObject(experimental) && experimental['ShardingEnabled'] === true) {
    const key = 'Experimental.ShardingEnabled'
    throw nodeConfigErrors.E_CONFIG_VALUE(file, key, 'true', 'false, or absent: directories are sharded by their size since Kubo 0.11')
  }
}

/** A value for an error message. What may be a secret is only told by its kind. */
function shown(key: string, found: Json): string {
  const value = plainNumbers(found)
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
  if (value === null || typeof value === 'object') return kind
  if (/^(Identity|API\.Authorizations|Pinning\.RemoteServices)\b/.test(key)) return kind
  return `${shortJson(value)} (${kind})`
}

function withKey(whole: JsonObject, [key, ...keysBelow]: readonly string[], value: Json): JsonObject {
  const below = memberOf(whole, key!)
  return { ...whole, [key!]: keysBelow.length === 0 ? value : withKey(isObject(below) ? below : {}, keysBelow, value) }
}

/** Adds what only the file knows, wherever it stands. Names that differ in case alone are the same key. */
function withUnknown(known: JsonObject, file: JsonObject): JsonObject {
  const result: { [key: string]: Json } = { ...known }
  const names = new Map(Object.keys(known).map(name => [name.toLowerCase(), name]))
  for (const [key, value] of Object.entries(file)) {
    const name = Object.hasOwn(known, key) ? key : names.get(key.toLowerCase())
    if (name === undefined) put(result, key, value)
    else if (isObject(known[name]) && isObject(value)) result[name] = withUnknown(known[name], value)
  }
  return result
}
