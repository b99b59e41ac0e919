import { messageOf, type Startable } from '../../core/index.ts'
import { bounded } from '../../core/timing.ts'
import { hostErrors } from '../errors.ts'

/** Something of a plugin's that has been made and may have a life. */
export interface Living {
  readonly plugin: string
  readonly what: string
  readonly instance: Startable
}

/** How long one service may take to start or to stop, counted anew whenever it tells of progress. */
export const PATIENCE_MS = 10_000
/** The same of the stop of one of a third party: whoever waits for the end of the node waits for each that hangs. */
export const FOREIGN_STOP_MS = 3_000

/** Starts one service; one that takes longer than `patience` without progress is an error, and its signal fires. */
export async function startOne({ plugin, what, instance }: Living, patience = PATIENCE_MS): Promise<void> {
  if (typeof instance?.start === 'function') await within(patience, plugin, `the start of ${what}`, (...how) => instance.start?.(...how))
}

/** Tells one service that everything has started. Otherwise like {@link startOne}. */
export async function afterStartOf({ plugin, what, instance }: Living, patience = PATIENCE_MS): Promise<void> {
  if (typeof instance?.afterStart !== 'function') return
  await within(patience, plugin, `what follows the start of ${what}`, (...how) => instance.afterStart?.(...how))
}

/**
 * Stops all in reverse order; one that hangs or throws never keeps another from stopping.
 *
 * @param patienceOf - how long those of a plugin may take
 * @returns what went wrong
 */
export async function stopAll(started: readonly Living[], patienceOf: (plugin: string) => number): Promise<Error[]> {
  const errors: Error[] = []
  for (const { plugin, what, instance } of [...started].reverse()) {
    if (typeof instance?.stop !== 'function') continue
    try {
      await within(patienceOf(plugin), plugin, `the stop of ${what}`, (...how) => instance.stop?.(...how))
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)))
    }
  }
  return errors
}

/** Has all services give memory back, each whatever another does. @returns what went wrong */
export function releaseMemoryOfAll(started: readonly Living[]): Error[] {
  const errors: Error[] = []
  for (const { plugin, what, instance } of started) {
    try {
      instance?.releaseMemory?.()
    } catch (error) {
      errors.push(new Error(`plugin '${plugin}': memory of ${what}: ${messageOf(error)}`, { cause: error }))
    }
  }
  return errors
}

type Run<T> = (signal: AbortSignal, progress: () => void) => Promise<T> | T

/** Runs something of a plugin's for as long as it goes on within `patience`, in milliseconds. @throws E_PLUGIN_SLOW, by which the signal fires as well */
export function within<T>(patience: number, plugin: string, what: string, run: Run<T>): Promise<T> {
  return bounded(patience, undefined, () => hostErrors.E_PLUGIN_SLOW(plugin, what, patience / 1000), run)
}
