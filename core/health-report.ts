import type { Health } from './services/host/health.ts'

/** The answer of `/health` and `/ready`. */
export interface HealthReport {
  readonly status: 'ok' | 'unavailable'
  /** With their reasons where the caller may know them. */
  readonly faults: ReadonlyArray<{ readonly fault: string; readonly about: string; readonly reason?: string; readonly since: string }>
}

/**
 * The answer to a load balancer.
 *
 * @param path - `/health`: whether a start would help; `/ready`: whether requests may come here
 * @param isTrusted - whether the caller may know the reasons, which name paths
 */
export function healthReport(health: Pick<Health, 'present'>, path: '/health' | '/ready', isTrusted: boolean): HealthReport {
  const faults = health.present().filter(({ fatal }) => fatal || path === '/ready')
  return {
    status: faults.length === 0 ? 'ok' : 'unavailable',
    faults: faults.map(({ name, about, reason, since }) => ({
      fault: name,
      about,
      ...(isTrusted && { reason }),
      since: since.toISOString()
    }))
  }
}
