import { setTimeout as delay } from 'node:timers/promises'
import { MAX_DELAY } from '../../../core/concurrency/index.ts'
import { parseDuration } from '../../../core/go/duration.ts'
import { type Collector, type Logger, messageOf, type Repo } from '../../../core/index.ts'
import { NO_LIMIT, storageMax } from '../../../core/repo/size.ts'
import { pinErrors } from '../errors.ts'

/** When to collect by itself. */
export interface Limits {
  /** Milliseconds between two looks; 0: never. */
  readonly period: number
  /** Bytes that the repo may take before a look finds reason to collect. */
  readonly most: bigint
}

/**
 * The settings of the node configuration (Kubo 0.28, core/corerepo/gc.go): `Datastore.GCPeriod`, `StorageMax` and `StorageGCWatermark`.
 *
 * @throws E_GC_SETTING, E_STORAGE_MAX: each names the key
 */
export function limitsOf(repo: Repo): Limits {
  const max = storageMax(repo)
  const percent = watermarkOf(repo.get('Datastore.StorageGCWatermark'))
  return { period: periodOf(repo.get('Datastore.GCPeriod')), most: max === NO_LIMIT ? max : (max * BigInt(percent)) / 100n }
}

function periodOf(value: unknown): number {
  const wrong = (why: string) => pinErrors.E_GC_SETTING('GCPeriod', JSON.stringify(value), why)
  if (typeof value !== 'string') throw wrong("it is no duration, as '1h' would be")
  let period: bigint
  try {
    period = parseDuration(value === '' ? '1h' : value)
  } catch (error) {
    throw wrong(messageOf(error))
  }
  if (period < 0n) throw wrong('it is less than nothing')
  return Number(period) / 1e6
}

function watermarkOf(value: unknown): number {
  if (value === 0) return 90
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100) return value
  throw pinErrors.E_GC_SETTING('StorageGCWatermark', JSON.stringify(value), 'it is no whole number from 0 to 100, of percent')
}

interface PeriodicParts {
  readonly collector: Pick<Collector, 'collect'>
  readonly limits: Limits
  /** Bytes that the repo takes. */
  usage(signal: AbortSignal): Promise<bigint>
  readonly log: Logger
  /** Waits so many milliseconds, or until the signal fires. */
  wait?(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Looks every period whether the repo has grown beyond its limit, and collects if so, until the signal fires. What fails is logged. */
export async function collectPeriodically(parts: PeriodicParts, signal: AbortSignal): Promise<void> {
  const { collector, limits, log, wait = waitLong } = parts
  while (limits.period > 0 && !signal.aborted) {
    try {
      await wait(limits.period, signal)
      const usage = await parts.usage(signal)
      if (usage <= limits.most) continue
      log.info({ usage: String(usage), most: String(limits.most) }, 'the repo has grown beyond its watermark: collecting garbage')
      for await (const item of collector.collect({ signal })) if ('error' in item) log.error(item.error.message)
    } catch (error) {
      if (!signal.aborted) log.error(`collecting garbage failed: ${messageOf(error)}`)
    }
  }
}

async function waitLong(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= MAX_DELAY) await delay(Math.min(left, MAX_DELAY), undefined, { signal, ref: false })
}
