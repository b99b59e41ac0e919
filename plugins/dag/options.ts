import { type CidEncoder, cidEncoder } from '../../core/cid/encoder.ts'
import type { BlockOptions, Call } from '../../core/index.ts'

/** How a call may load blocks. */
export function blockOptions({ signal, options: { offline, local } }: Pick<Call, 'signal' | 'options'>): BlockOptions {
  return { signal, offline: offline === true || local === true }
}

/** CIDs for people: in the base asked for, but version 0 stays unless its upgrade is asked for itself. */
export function textEncoder({ options: { cidBase, upgradeCidv0InOutput = false } }: Pick<Call, 'options'>): CidEncoder {
  return cidEncoder({ cidBase, upgradeCidv0InOutput })
}
