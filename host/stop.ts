import type { HostParts } from './parts.ts'
import { stopAll } from './plugins/lifecycle.ts'

/** Longer than a listener waits for the requests that run (`rpc.limits.stopGraceMs`, 5 s by default). */
const LISTENER_PATIENCE_MS = 120_000

/**
 * Stops what closes first, such as listeners, then the services in reverse order. Never throws.
 *
 * @returns what went wrong on the way
 */
export async function stopHost(
  { logs, log, calls, started, process }: HostParts,
  closers: ReadonlyArray<() => Promise<void>>
): Promise<Error[]> {
  // whoever follows the log would keep its listener open
  logs.close()
  const listeners = closers.map((close, i) => ({ plugin: 'host', what: `listener ${i + 1}`, instance: { stop: close } }))
  // a listener gives running requests time of its own
  const errors = await stopAll(listeners, () => LISTENER_PATIENCE_MS)
  await calls.abortAll()
  errors.push(...(await started.stop()))
  for (const error of errors) log.error(error.message)
  process.stop()
  return errors
}
