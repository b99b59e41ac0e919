import { messageOf } from '../../errors.ts'
import { parseInteger } from '../../go/number.ts'
import { dagErrors } from '../errors.ts'
import { kindOf, type Node, plain, Typed, typeName } from '../model.ts'

/**
 * One step of a path inside a block, as go-ipld-prime's `LookupBySegment`: an entry of a map by its key, of a list by its number.
 *
 * @throws E_KEY_NOT_FOUND (no entry of a map or list), E_NO_SUCH_FIELD (no field of a schema's type), E_SEGMENT_INVALID (no number
 * for a list), E_WRONG_KIND (neither map nor list), E_LIST_INDEX_NEGATIVE
 */
export function lookup(node: Node, segment: string): Node {
  const value = plain(node)
  if (value instanceof Map) {
    const found = value.get(segment)
    if (found !== undefined) return found
    throw hasSchema(node) ? dagErrors.E_NO_SUCH_FIELD(segment) : dagErrors.E_KEY_NOT_FOUND(segment)
  }
  if (!Array.isArray(value)) throw dagErrors.E_WRONG_KIND('LookupBySegment', typeName(node), kindOf(node), 'map or list')
  const index = listIndex(segment)
  if (index < 0n) throw dagErrors.E_LIST_INDEX_NEGATIVE(index)
  if (index >= value.length) throw dagErrors.E_KEY_NOT_FOUND(String(index))
  return value[Number(index)]!
}

/** The place in a list that a segment names. @throws E_SEGMENT_INVALID */
export function listIndex(segment: string): bigint {
  try {
    return parseInteger(segment, 64, true, 10)
  } catch (error) {
    throw dagErrors.E_SEGMENT_INVALID(segment, messageOf(error))
  }
}

function hasSchema(node: Node): boolean {
  return node instanceof Typed && node.type !== kindOf(node)
}
