import type { Names } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'

/** The caller's choice among the ways to publish. */
interface WayOptions {
  readonly allowOffline: boolean | undefined
  readonly allowDelegated: boolean | undefined
}

/** @throws E_PUBLISH_BOTH, E_PUBLISH_DELEGATED */
export function checkWays({ allowOffline, allowDelegated }: WayOptions, { hasPublishers }: Pick<Names, 'hasPublishers'>): void {
  if (allowOffline && allowDelegated) throw nameErrors.E_PUBLISH_BOTH()
  if (allowDelegated && !hasPublishers) throw nameErrors.E_PUBLISH_DELEGATED()
}
