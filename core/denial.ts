import type { CID } from 'multiformats/cid'
import { cidToString } from './cid/parse.ts'
import { denialErrors } from './errors/denial.ts'
import type { DeniablePath, Denylist } from './services/content/denylist.ts'

/** Refuses a block that a denylist stands against. @throws E_DENIED */
export async function refuseDeniedBlock(denylist: Denylist | undefined, cid: CID): Promise<void> {
  const denial = await denylist?.ofBlock(cid)
  if (denial !== undefined) throw denialErrors.E_DENIED(cidToString(cid), denial)
}

/** The blocks, of several, that no denylist stands against. */
export async function withoutDenied(denylist: Denylist, cids: readonly CID[]): Promise<readonly CID[]> {
  const denials = await Promise.all(cids.map(cid => denylist.ofBlock(cid)))
  return cids.filter((_, i) => denials[i] === undefined)
}

/** The same of a path. @throws E_DENIED */
export async function refuseDeniedPath(denylist: Denylist | undefined, path: DeniablePath): Promise<void> {
  const denial = await denylist?.ofPath(path)
  if (denial === undefined) return
  const root = path.namespace === 'ipns' ? path.name : cidToString(path.root)
  throw denialErrors.E_DENIED(['', path.namespace, root, ...path.segments].join('/'), denial)
}
