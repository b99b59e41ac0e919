import { type Profiler, Session } from 'node:inspector'

/** How often the stack is looked at, in milliseconds. */
const EVERY_MS = 50
/** The time after which samples are thrown away, as they grow. */
const KEPT_MS = 20 * 60_000

/** A function that ran, as the profiler names it. */
export interface StackFrame {
  readonly name: string
  /** A URL or path; empty for the engine's own. */
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** V8's sampling profiler in this process: looks at the stack a few times a second, so that it can be told later what ran. */
export class Sampler {
  readonly #session = new Session()
  #began = 0

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.setSamplingInterval', { interval: EVERY_MS * 1000 })
    this.#begin()
  }

  /** Lets go of old samples. */
  tidy(): void {
    if (performance.now() - this.#began > KEPT_MS) this.take(0)
  }

  /**
   * The stack that was seen most in the last `ms` milliseconds, innermost function first; empty where none was. What was sampled is
   * thrown away.
   */
  take(ms: number): readonly StackFrame[] {
    let frames: readonly StackFrame[] = []
    // calls back before it returns
    this.#session.post('Profiler.stop', (error, { profile }) => {
      if (error === null) frames = busiest(profile, ms)
    })
    this.#begin()
    return frames
  }

  stop(): void {
    this.#session.post('Profiler.stop')
    this.#session.disconnect()
  }

  #begin(): void {
    this.#session.post('Profiler.start')
    this.#began = performance.now()
  }
}

/** The stack of the deepest node that holds most samples of the end of a profile. */
function busiest({ nodes, samples = [], timeDeltas = [], startTime, endTime }: Profiler.Profile, ms: number): StackFrame[] {
  const parents = new Map<number, Profiler.ProfileNode>()
  const byId = new Map(nodes.map(node => [node.id, node]))
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const counts = new Map<number, number>()
  let at = startTime
  for (let i = 0; i < samples.length; i++) {
    at += timeDeltas[i]!
    const { functionName } = byId.get(samples[i]!)!.callFrame
    if (at < endTime - ms * 1000 || functionName === '(idle)' || functionName === '(program)') continue
    counts.set(samples[i]!, (counts.get(samples[i]!) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  const frames: StackFrame[] = []
  for (let node = most === undefined ? undefined : byId.get(most[0]); node !== undefined; node = parents.get(node.id)) {
    const { functionName, url, lineNumber } = node.callFrame
    if (functionName !== '(root)') frames.push({ name: functionName, file: url, line: lineNumber + 1 })
  }
  return frames
}
