import { commonErrors } from '../errors/common.ts'
import type { Network } from '../services/network/network.ts'

/** The network, for an action that a caller may want offline. @throws E_ACTION_NEEDS_ONLINE */
export function onlineForAction(network: Network | undefined, { offline }: { readonly offline?: boolean | undefined }): Network {
  if (network === undefined || offline === true) throw commonErrors.E_ACTION_NEEDS_ONLINE()
  return network
}

/** A service that a command needs and only a node with peers has. @throws E_NEEDS_ONLINE */
export function onlineForCommand<T>(service: T | undefined): T {
  if (service === undefined) throw commonErrors.E_NEEDS_ONLINE()
  return service
}
