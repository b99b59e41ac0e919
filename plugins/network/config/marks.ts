import type { Repo } from '../../../core/index.ts'
import type { Marks } from '../connections/trimmer.ts'
import { networkPluginErrors } from '../errors.ts'
import { countOf, timeOf } from './checked.ts'

/** The marks of `Swarm.ConnMgr`; undefined where connections are not managed. @throws E_CONN_MANAGER_TYPE, E_PEER_OF_CONFIG */
export function marksOf(repo: Repo): Marks | undefined {
  const type = repo.get<string | null>('Swarm.ConnMgr.Type') ?? 'basic'
  if (type === 'none') return undefined
  if (type !== 'basic' && type !== '') throw networkPluginErrors.E_CONN_MANAGER_TYPE(type)
  // a low mark above the high one is taken, as in the reference: who sets both one by one may pass through that
  const low = countOf(repo, 'Swarm.ConnMgr.LowWater') ?? 32
  const high = countOf(repo, 'Swarm.ConnMgr.HighWater') ?? 96
  return { low, high, grace: timeOf(repo, 'Swarm.ConnMgr.GracePeriod', '20s') }
}
