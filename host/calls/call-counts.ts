/** Upper bounds of the times that calls take, in seconds; what takes longer is counted beyond the last. */
export const CALL_SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]

/** The outcomes of the calls of one command. Plain numbers: they are turned into metrics when somebody asks for those. */
export class CallCounts {
  calls = 0
  errors = 0
  /** Seconds that all calls took together. */
  seconds = 0
  /** How many calls took no longer than each of {@link CALL_SECONDS} but longer than the one before; the last: longer than all. */
  readonly within: number[] = CALL_SECONDS.map(() => 0).concat(0)
  /** Bytes of requests and answers on their connections, header fields included. */
  bytesIn = 0
  bytesOut = 0

  count(seconds: number, failed: boolean): void {
    this.calls++
    if (failed) this.errors++
    this.seconds += seconds
    let i = 0
    while (i < CALL_SECONDS.length && seconds > CALL_SECONDS[i]!) i++
    this.within[i]!++
  }
}

/** The counts of one host by command path. */
export class CallCountsByCommand {
  readonly #callCounts = new Map<string, CallCounts>()

  of(path: string): CallCounts {
    let counts = this.#callCounts.get(path)
    if (counts === undefined) {
      counts = new CallCounts()
      this.#callCounts.set(path, counts)
    }
    return counts
  }

  /** Commands that were called. */
  *used(): Iterable<readonly [path: string, counts: CallCounts]> {
    for (const one of this.#callCounts) if (one[1].calls > 0) yield one
  }
}
