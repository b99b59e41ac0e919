import { type CidEncoder, lowLevelEncoder } from '../../core/cid/encoder.ts'
import type { Call } from '../../core/index.ts'

export { blockOptions } from '../../core/blocks/options.ts'

/** CIDs for people: in the base asked for, but version 0 stays unless its upgrade is asked for itself. */
export function textEncoder({ options }: Pick<Call, 'options'>): CidEncoder {
  return lowLevelEncoder(options)
}
