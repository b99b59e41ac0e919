import { MAX_DELAY } from '../../../core/concurrency/index.ts'
import type { Repo } from '../../../core/index.ts'
import { countOf, timeOf } from './checked.ts'

/** The limits of a node that is a relay for others (`Swarm.RelayService`). Times in milliseconds. */
export interface RelayLimits {
  readonly maxReservations: number
  readonly reservationTtl: number
  readonly duration: number
  /** Bytes that one connection carries. */
  readonly data: number
}

/** @throws E_PEER_OF_CONFIG */
export function relayLimitsOf(repo: Repo): RelayLimits {
  const count = (key: string, otherwise: number) => countOf(repo, `Swarm.RelayService.${key}`) ?? otherwise
  const time = (key: string, otherwise: string) => Math.min(timeOf(repo, `Swarm.RelayService.${key}`, otherwise), MAX_DELAY)
  return {
    maxReservations: count('MaxReservations', 128),
    reservationTtl: time('ReservationTTL', '1h'),
    duration: time('ConnectionDurationLimit', '2m'),
    data: count('ConnectionDataLimit', 131_072)
  }
}
