import { join } from 'node:path'
import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { type Command, Host, isOptional, Logs, NodeConfigModel, Repo, tokenName, tokenOf } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import type { NodeHost } from '../../host.ts'

/** Services that are there whatever became of any plugin but that of the repo. */
const OF_THE_REPO: ReadonlySet<symbol> = new Set([Host, Logs, Repo, NodeConfigModel, ...OF_EVERY_PLUGIN])

/** Services without which no repo is open. */
const VITAL: ReadonlySet<string> = new Set([Repo, NodeConfigModel].map(token => tokenName(token)))

/** A built-in plugin that kept a host from starting. */
interface FailedPlugin {
  readonly name: string
  readonly reason: string
}

/**
 * The plugin that kept a host from starting, where a setting of the node can be why: not one that opens the repo, and none of somebody
 * else, which may be there to guard.
 */
export function failedPlugin(host: NodeHost): FailedPlugin | undefined {
  const failed = host.plugins().find(({ state }) => state === 'failed')
  if (failed === undefined || failed.from !== 'built-in' || failed.services.some(name => VITAL.has(name))) return undefined
  return { name: failed.name, reason: failed.reason ?? '' }
}

/** Whether a command can be run though plugins have failed: it reads or changes the repo's own files at most, and uses no other service. */
export function canDoWithout({ needs }: Command): boolean {
  return Object.values(needs).every(need => isOptional(need) || OF_THE_REPO.has(tokenOf(need)))
}

/** Where a setting of the node that a plugin did not start for is mended. */
function mendSetting(repo: string): string {
  return `Where a setting of the node is why: it stands in ${join(repo, repoFiles.config)}. Mend it: holdfast config KEY VALUE`
}

/** Says which plugin is off for this command, why, and what to do. */
export function tellOff({ name, reason }: FailedPlugin, repo: string): string {
  return `The plugin '${name}' did not start and is off for this command: ${reason}\n${mendSetting(repo)}\n`
}

/** Has an error tell where the setting stands. */
export function withMending(error: unknown, host: NodeHost, repo: string): unknown {
  return error instanceof Error && failedPlugin(host) !== undefined ? Object.assign(error, { remedy: mendSetting(repo) }) : error
}
