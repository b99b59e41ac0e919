import { hasCode, httpOf, messageOf, type NodeError } from '../../../core/index.ts'

/** Errors of the node's other parts that are no fault of the gateway's. */
const STATUSES: Readonly<Record<string, number>> = {
  E_BLOCK_NOT_FOUND: 404,
  E_BLOCK_MISSING: 404,
  E_BLOCK_UNAVAILABLE: 504,
  E_NODES_MISSING: 404,
  E_LINK_MISSING: 404,
  E_PATH_INVALID: 400,
  E_NAME_DEPTH: 400,
  E_ACTION_NEEDS_ONLINE: 503,
  E_TIMEOUT: 504
}

/** The status that an error has as the answer to a request for content. */
export function statusOf(error: unknown): number {
  const { code = '', http } = (error ?? {}) as Partial<NodeError>
  return http?.status ?? STATUSES[code] ?? httpOf(error).status
}

/** The text of an error, with the block that it is about where only its cause says that. */
export function explanationOf(error: unknown): string {
  const isOfBlock = hasCode(error, 'E_NODES_MISSING') && error.cause !== undefined
  return isOfBlock ? `${error.message}: ${messageOf(error.cause)}` : messageOf(error)
}
