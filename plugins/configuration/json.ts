import { parseJsonExactly } from '../../core/go/json.ts'
import { endOfJson, JsonTextError, type JsonTextOptions } from '../../core/go/json-text.ts'
import type { Json } from '../../core/index.ts'
import { configurationErrors } from './errors.ts'

/** Objects and lists that may lie in each other; Go's decoder allows 10,000, which nobody's configuration needs. */
export const MAX_DEPTH = 256

/** One JSON value and nothing else, its numbers exact. @throws E_JSON, in the words of Go's `encoding/json` */
export function parseJson(text: string, maxDepth = MAX_DEPTH): Json {
  return parsed(text, { maxDepth })
}

/** The first JSON value of a text; what follows is not looked at. @throws E_JSON */
export function parseFirstJson(text: string, maxDepth = MAX_DEPTH): Json {
  return parsed(text, { maxDepth, more: true })
}

function parsed(text: string, options: JsonTextOptions): Json {
  try {
    return parseJsonExactly(text.slice(0, endOfJson(text, options))) as Json
  } catch (error) {
    if (error instanceof JsonTextError) throw Object.assign(configurationErrors.E_JSON(error.message), { cause: error })
    throw error
  }
}
