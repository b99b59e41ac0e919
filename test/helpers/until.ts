import { setTimeout as wait } from 'node:timers/promises'

/** The longest that anything is waited for: a machine may be busy with other tests. */
const LIMIT = 30_000

/** Waits until `look` answers something, and answers that. @throws when it still has not after 30 s */
export async function until<T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const end = Date.now() + LIMIT
  while (true) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`${what}: still not after ${LIMIT / 1000} s`)
    await wait(20)
  }
}
