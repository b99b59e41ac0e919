import { setTimeout as delay } from 'node:timers/promises'
import { formatDuration, parseDuration } from '../../../core/go/index.ts'
import { type Logger, messageOf, type Repo } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'

const MINUTE = 60_000_000_000n
const MILLISECOND = 1_000_000n
const DAY = 24n * 60n * MINUTE

/** When the first records are made anew after a start, and again after a failure (boxo 0.19, namesys/republisher). */
const FIRST = MINUTE
const RETRY = 5n * MINUTE

/** How often records are made anew, and for how long they are good then, both in nanoseconds. */
interface Republishing {
  readonly period: bigint
  readonly lifetime: bigint
}

/** Four hours, and two days. */
export const DEFAULT_REPUBLISHING: Republishing = { period: 4n * 60n * MINUTE, lifetime: 2n * DAY }

/**
 * The settings of the node configuration: `Ipns.RepublishPeriod` and `Ipns.RecordLifetime`.
 *
 * @throws E_NAME_SETTING, E_NAME_PERIOD, E_NAME_LIFETIME
 */
export function republishingOf(repo: Pick<Repo, 'get'>): Republishing {
  const period = durationOf(repo, 'RepublishPeriod', '4h')
  if (period < MINUTE || period > DAY) throw nameErrors.E_NAME_PERIOD(formatDuration(period))
  const lifetime = durationOf(repo, 'RecordLifetime', '48h')
  if (lifetime <= 0n) throw nameErrors.E_NAME_LIFETIME(formatDuration(lifetime))
  return { period, lifetime }
}

function durationOf(repo: Pick<Repo, 'get'>, key: string, usual: string): bigint {
  const value = repo.get(`Ipns.${key}`) ?? ''
  try {
    return parseDuration(value === '' ? usual : String(value))
  } catch (error) {
    throw nameErrors.E_NAME_SETTING(key, JSON.stringify(value), messageOf(error))
  }
}

interface RepublisherParts {
  readonly period: bigint
  /** Makes all records anew. @returns what failed, by the names of the keys */
  republish(signal: AbortSignal): Promise<ReadonlyMap<string, unknown>>
  readonly log: Logger
  /** Waits so many nanoseconds, or until the signal fires. */
  wait?(nanoseconds: bigint, signal: AbortSignal): Promise<void>
}

/** Makes records anew every period until the signal fires, sooner where some could not be. What fails is logged. */
export async function republishPeriodically(
  { period, republish, log, wait = waitFor }: RepublisherParts,
  signal: AbortSignal
): Promise<void> {
  let next = period < FIRST ? period : FIRST
  while (!signal.aborted) {
    try {
      await wait(next, signal)
      const failures = await republish(signal)
      for (const [name, error] of failures) log.error(`republishing the name of the key '${name}' failed: ${messageOf(error)}`)
      next = failures.size === 0 || period < RETRY ? period : RETRY
    } catch (error) {
      if (!signal.aborted) log.error(`republishing names failed: ${messageOf(error)}`)
      next = period < RETRY ? period : RETRY
    }
  }
}

async function waitFor(nanoseconds: bigint, signal: AbortSignal): Promise<void> {
  await delay(Number(nanoseconds / MILLISECOND), undefined, { signal, ref: false })
}
