import { RAW } from '../../cid/codes.ts'
import type { Codec } from '../../services/content/dag.ts'
import { dagErrors } from '../errors.ts'
import { kindOf, type Node, plain, typeName } from '../model.ts'

/** `raw` (0x55): a block is one bytes value. */
export const raw: Codec = {
  name: 'raw',
  code: RAW,
  decode: bytes => bytes,
  encode: bytesOf,
  links: () => []
}

/**
 * The bytes of a bytes node.
 *
 * @throws E_WRONG_KIND
 */
export function bytesOf(node: Node): Uint8Array {
  const value = plain(node)
  if (value instanceof Uint8Array) return value
  throw dagErrors.E_WRONG_KIND('AsBytes', typeName(node), kindOf(node), 'bytes')
}
