import type { CID } from 'multiformats/cid'
import { base32Lower, multibaseByName } from './bases.ts'
import { cidToString } from './parse.ts'

/** The options of a call that say how CIDs are written in its answer. */
export interface CidEncoding {
  readonly cidBase?: string | undefined
  readonly upgradeCidv0InOutput?: boolean | undefined
}

export type CidEncoder = (cid: CID) => string

/**
 * How a call's CIDs are written: version 0 as it is and version 1 in base32, unless the caller asked for a base or an upgrade.
 * Asking for a base upgrades, unless `upgradeCidv0InOutput` is false.
 *
 * @throws E_MULTIBASE_UNSUPPORTED
 */
export function cidEncoder({ cidBase, upgradeCidv0InOutput }: CidEncoding = {}): CidEncoder {
  const asked = cidBase !== undefined && cidBase !== ''
  const base = asked ? multibaseByName(cidBase) : base32Lower
  if (!(upgradeCidv0InOutput ?? asked)) return cid => cidToString(cid, cid.version === 0 ? undefined : base)
  return cid => cidToString(cid.version === 0 ? cid.toV1() : cid, base)
}

/** CIDs for people, and of low-level commands: in the base asked for, but version 0 stays unless its upgrade is asked for itself. */
export function lowLevelEncoder({ cidBase, upgradeCidv0InOutput = false }: CidEncoding): CidEncoder {
  return cidEncoder({ cidBase, upgradeCidv0InOutput })
}
