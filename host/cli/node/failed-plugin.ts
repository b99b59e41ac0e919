import { join } from 'node:path'
import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { messageOf, type NodeError, withCauses } from '../../../core/errors.ts'
import { type Command, Host, isOptional, Logs, NodeConfigModel, Repo, RepoLocation, tokenName, tokenOf } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/layout.ts'
import type { NodeHost } from '../../host.ts'

/** Services that are there whatever became of any plugin but that of the repo. */
const OF_THE_REPO: ReadonlySet<symbol> = new Set([Host, Logs, Repo, RepoLocation, NodeConfigModel, ...OF_EVERY_PLUGIN])

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

const MEND = 'Mend it: holdfast config KEY VALUE'

/** Where a setting of the node that a plugin did not start for is mended. */
function mendSetting(repo: string): string {
  return `Where a setting of the node is why: it stands in ${join(repo, repoFiles.config)}. ${MEND}`
}

/** Errors of the node configuration itself, and how they are mended. */
const REFUSALS: Readonly<Record<string, string>> = {
  E_CONFIG_VALUE: MEND,
  E_REPO_IDENTITY: 'Put back the Identity of a copy of the file, or give the peer ID of its key: holdfast config Identity.PeerID ID',
  E_CONFIG_SYNTAX: 'Mend the file, or put back a copy of it.'
}

/** The error of a node configuration that is refused, behind what kept a host from starting. */
export function refusedConfiguration(error: unknown): NodeError | undefined {
  for (const at of withCauses(error)) if (Object.hasOwn(REFUSALS, (at as Partial<NodeError>).code ?? '')) return at as NodeError
  return undefined
}

/** Says that the node configuration is refused, why, and what to do. */
export function tellRefused(refused: NodeError): string {
  const what =
    refused.code === 'E_CONFIG_SYNTAX'
      ? 'cannot be read, and counts for nothing in this command'
      : 'is refused, and its other values alone count for this command'
  return `The node configuration ${what}: ${messageOf(refused)}\n${REFUSALS[refused.code]}\n`
}

/** Says which plugin is off for this command, why, and what to do. */
export function tellOff({ name, reason }: FailedPlugin, repo: string): string {
  return `The plugin '${name}' did not start and is off for this command: ${reason}\n${mendSetting(repo)}\n`
}

/** Has an error tell where the setting stands. */
export function withMending(error: unknown, host: NodeHost, repo: string): unknown {
  if (!(error instanceof Error)) return error
  const refused = refusedConfiguration(error)
  if (refused !== undefined) return Object.assign(error, { remedy: REFUSALS[refused.code] })
  return failedPlugin(host) === undefined ? error : Object.assign(error, { remedy: mendSetting(repo) })
}
