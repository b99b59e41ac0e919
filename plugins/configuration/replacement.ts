import { isExactNumber } from '../../core/go/json.ts'
import { JsonTextError, placeOfKey, placeText } from '../../core/go/json-text.ts'
import { hasCode, type Json, type NodeConfig, type NodeConfigModel } from '../../core/index.ts'
import { configurationErrors } from './errors.ts'
import { MAX_DEPTH, parseFirstJson } from './json.ts'

interface Service {
  readonly API: { readonly Endpoint: string; readonly Key: string }
}

/**
 * A document as the typed configuration; null counts as an empty one, and what follows the first value is not looked at.
 *
 * @throws E_CONFIG_DECODE, whose message is Kubo's; what is wrong and where is said beside it
 */
export function decodeDocument(model: NodeConfigModel, text: string): NodeConfig {
  let document: Json
  try {
    document = parseFirstJson(text) ?? {}
    if (typeof document !== 'object' || Array.isArray(document) || isExactNumber(document))
      throw configurationErrors.E_CONFIG_DECODE('it is no JSON object')
    return model.typed(document as NodeConfig)
  } catch (error) {
    if (hasCode(error, 'E_JSON') || hasCode(error, 'E_CONFIG_TYPE')) throw configurationErrors.E_CONFIG_DECODE(problem(error, text))
    throw error
  }
}

/** Shown of a problem at most, as a value may be part of it. */
const MOST_PROBLEM = 200

/** The fault of a document, and its place. */
function problem(error: Error & { readonly key?: string }, text: string): string {
  const { cause, key, message } = error
  const place = cause instanceof JsonTextError ? cause.place : placeOfKey(text, key ?? '', { maxDepth: MAX_DEPTH })
  const what = message.length > MOST_PROBLEM ? `${message.slice(0, MOST_PROBLEM)}…` : message
  return place === undefined ? what : `${what} (${placeText(place)})`
}

/**
 * A document in the place of the configuration, with the secrets that a caller neither sees nor sets put back (Kubo 0.28,
 * core/commands/config.go).
 *
 * @param document - a typed configuration
 * @throws E_CONFIG_REPLACE_KEY, E_CONFIG_REPLACE_SERVICES, E_CONFIG_REPLACE_SERVICE_API
 */
export function replaced(model: NodeConfigModel, file: NodeConfig, document: NodeConfig): NodeConfig {
  if ((document['Identity'] as { PrivKey?: string }).PrivKey) throw configurationErrors.E_CONFIG_REPLACE_KEY()
  // what is refused is replaced as well, but for the key pair, which the document does not have
  const now = model.typed(file, value => {
    if (value.key.startsWith('Identity')) throw value
  })
  const before = servicesOf(now)
  const after = servicesOf(document)
  const names = Object.keys(after)
  if (names.length !== Object.keys(before).length || names.some(name => !Object.hasOwn(before, name))) {
    throw configurationErrors.E_CONFIG_REPLACE_SERVICES()
  }
  let next = document
  for (const name of names) {
    const { Endpoint, Key } = after[name]!.API
    const kept = before[name]!.API
    if (Key !== '' || Endpoint !== kept.Endpoint) throw configurationErrors.E_CONFIG_REPLACE_SERVICE_API()
    next = model.merge(next, { Pinning: { RemoteServices: { [name]: { API: { Key: kept.Key } } } } })
  }
  const { PrivKey } = now['Identity'] as { PrivKey: Json }
  return model.merge(file, model.merge(next, { Identity: { PrivKey } }))
}

function servicesOf(config: NodeConfig): Readonly<Record<string, Service>> {
  return (config['Pinning'] as unknown as { RemoteServices: Record<string, Service> | null }).RemoteServices ?? {}
}
