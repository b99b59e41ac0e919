import type { ExecutionContext } from 'ava'
import { nodeConfigModel } from '../../../config/node/index.ts'
import type { Logger, RepoLocation } from '../../../core/index.ts'
import { NodeRepo } from '../../../plugins/repo/node-repo.ts'

/** A repo that is closed when the test ends. */
export async function openRepo(t: ExecutionContext, location: RepoLocation, log?: Pick<Logger, 'error'>): Promise<NodeRepo> {
  const repo = new NodeRepo(location, nodeConfigModel, new Map(), log)
  await repo.start()
  await repo.afterStart()
  t.teardown(() => repo.stop())
  return repo
}

/** What opening it is refused with. */
export async function refusal(t: ExecutionContext, location: RepoLocation): Promise<{ code: string; message: string }> {
  const error = await t.throwsAsync(new NodeRepo(location, nodeConfigModel, new Map()).start())
  return error as Error & { code: string }
}
