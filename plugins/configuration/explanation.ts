import { isExactNumber } from '../../core/go/json.ts'
import { isKeyBelow, type Json, type NodeConfig, type NodeKey, type NodeKeyReader, nodeKeyEffect } from '../../core/index.ts'

/** The effect of a key of the node configuration on this node. */
export interface Explanation {
  readonly Key: string
  readonly Effect: 'at once' | 'at start' | 'never'
  readonly By: readonly string[]
  readonly Why?: string
}

/** The effects of all keys: those that the model knows in the file's order, then those that only this file has. */
export function* explanations(
  known: readonly NodeKey[],
  readers: readonly NodeKeyReader[],
  file: NodeConfig
): IterableIterator<Explanation> {
  for (const key of known) yield explanation(key, readers)
  const names = known.map(({ key }) => key.toLowerCase())
  for (const key of keysOf(file, '')) {
    const folded = key.toLowerCase()
    if (names.some(name => isKeyBelow(folded, name) || isKeyBelow(name, folded))) continue
    yield explanation({ key, unread: 'no such key is known' }, readers)
  }
}

function explanation(key: Pick<NodeKey, 'key' | 'unread'>, readers: readonly NodeKeyReader[]): Explanation {
  const { effect, by, why } = nodeKeyEffect(key, readers)
  return { Key: key.key, Effect: effect, By: by, ...(why === undefined ? {} : { Why: why }) }
}

/** The keys of a file that hold something other than an object with members. */
function* keysOf(config: NodeConfig, prefix: string): IterableIterator<string> {
  for (const [name, value] of Object.entries(config)) {
    if (isObject(value) && Object.keys(value).length > 0) yield* keysOf(value, `${prefix}${name}.`)
    else yield prefix + name
  }
}

const isObject = (value: Json): value is NodeConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
