/** The longest wait for something that happens outside this process, in milliseconds: far beyond what a busy machine needs. */
const LONGEST_MS = 30_000

/** A wait until a question is answered with something other than `undefined` or `false`, asked every few milliseconds; its answer. */
export async function until<T>(what: string, ask: () => T | Promise<T>, longestMs = LONGEST_MS): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + longestMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    if (performance.now() > end) throw new Error(`${what}: not after ${longestMs / 1000} s`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
