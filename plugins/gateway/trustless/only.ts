import type { IncomingMessage } from 'node:http'
import { gatewayErrors } from '../errors.ts'
import { tryKey } from '../hosts/label.ts'
import type { Choice } from '../request/format.ts'
import type { RequestedPath } from '../request/path.ts'

/**
 * Refuses what a gateway that vouches for nothing does not answer. A request that says no form at all is not even one that it could.
 *
 * @throws E_GATEWAY_TRUSTLESS_ONLY, E_GATEWAY_NO_FORMAT
 */
export function refuseTrusting({ headers }: IncomingMessage, path: RequestedPath, choice: Choice): void {
  if (isTrustless(path, choice)) return
  if (choice.format === 'default' && headers.accept === undefined) throw gatewayErrors.E_GATEWAY_NO_FORMAT()
  throw gatewayErrors.E_GATEWAY_TRUSTLESS_ONLY()
}

/** Whether a client can check the answer. */
function isTrustless({ namespace, root, segments }: RequestedPath, { format }: Choice): boolean {
  if (namespace === 'ipns') return format === 'ipns-record' && segments.length === 0 && tryKey(root) !== undefined
  return format === 'car' || (format === 'raw' && segments.length === 0)
}
