import { parseDuration } from '../../../core/go/duration.ts'
import type { Repo } from '../../../core/index.ts'
import type { Marks } from '../connections/trimmer.ts'
import { networkPluginErrors } from '../errors.ts'
import { countOf } from './checked.ts'

/** The marks of `Swarm.ConnMgr`; undefined where connections are not managed. @throws E_CONN_MANAGER_TYPE, E_PEER_OF_CONFIG */
export function marksOf(repo: Repo): Marks | undefined {
  const type = repo.get<string | null>('Swarm.ConnMgr.Type') ?? 'basic'
  if (type === 'none') return undefined
  if (type !== 'basic' && type !== '') throw networkPluginErrors.E_CONN_MANAGER_TYPE(type)
  const grace = repo.get<string | null>('Swarm.ConnMgr.GracePeriod') ?? '20s'
  return {
    low: countOf(repo, 'Swarm.ConnMgr.LowWater') ?? 32,
    high: countOf(repo, 'Swarm.ConnMgr.HighWater') ?? 96,
    grace: Number(parseDuration(grace) / 1_000_000n)
  }
}
