import { type RpcLimits, type RpcSettings, rpcSettings } from '../../config/host/rpc.ts'

export type { RpcLimits, RpcSettings }

/** Settings with everything that was not said filled in. */
export function withDefaults(settings: unknown): RpcSettings {
  return rpcSettings.parse(settings ?? {})
}
