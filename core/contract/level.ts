/** The levels of the RPC that a node can speak, by the versions of the reference whose answers they are. */
export const RPC_LEVELS = ['0.28', '0.42'] as const
export type RpcLevel = (typeof RPC_LEVELS)[number]

/** The level of a node that nothing else is said of. */
export const DEFAULT_LEVEL: RpcLevel = '0.28'

/** The version that a node of a level tells: what clients read in `version` and choose by, and what they are held against when they name theirs. */
export function versionOfLevel(level: RpcLevel): string {
  return `${level}.0`
}
