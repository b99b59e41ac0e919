import { hostConfigErrors } from '../../../config/host/errors.ts'
import type { LoadedConfiguration } from '../../../config/host/load.ts'
import { rpcSettings } from '../../../config/host/rpc.ts'
import { RPC_LEVELS } from '../../../core/index.ts'
import type { PeerOptions } from '../../plugins/load/toggles.ts'

/**
 * A configuration with the level of the RPC that HOLDFAST_RPC_LEVEL names, where it names one.
 *
 * @throws E_RPC_LEVEL
 */
export function withLevel<L extends LoadedConfiguration>(loaded: L, env: Readonly<Record<string, string | undefined>>): L {
  const said = env['HOLDFAST_RPC_LEVEL']
  if (said === undefined || said === '') return loaded
  const level = RPC_LEVELS.find(one => one === said)
  if (level === undefined) throw hostConfigErrors.E_RPC_LEVEL(said, RPC_LEVELS)
  return { ...loaded, configuration: { ...loaded.configuration, rpc: rpcSettings.parse({ ...loaded.configuration.rpc, level }) } }
}

/** Whether a daemon that is started here talks to peers. @throws E_OFFLINE */
export function peersOfDaemon(flag: boolean | undefined, env: Readonly<Record<string, string | undefined>>): PeerOptions {
  return { offline: whyOffline(flag, env), joins: true }
}

/**
 * Why a daemon talks to no peers; undefined where it joins the network.
 *
 * @param flag - `--offline`, which goes before the environment
 * @throws E_OFFLINE
 */
export function whyOffline(flag: boolean | undefined, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (flag !== undefined) return flag ? '--offline' : undefined
  const said = env['HOLDFAST_OFFLINE'] ?? ''
  if (said === '1' || said === 'true') return 'HOLDFAST_OFFLINE'
  if (said === '' || said === '0' || said === 'false') return undefined
  throw hostConfigErrors.E_OFFLINE(said)
}
