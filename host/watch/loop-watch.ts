import type { Logger } from '../../core/index.ts'
import type { Occupant } from '../calls/occupants.ts'
import type { Sampler, StackFrame } from './sampler.ts'

/** How often the watch looks whether the event loop turns, in milliseconds. */
const BEAT_MS = 100
/** From one telling to the next at least, in milliseconds; what is left out is counted. */
const PAUSE_MS = 10_000
/** Of the time that the loop did not turn, the process has used at least so much of a processor where its own code blocked it. */
const BUSY = 0.05

export interface Watched {
  readonly log: Logger
  /** How long the event loop may be blocked before it is told, in milliseconds. */
  readonly blockedMs: number
  /** The calls that were under way for the whole of the last so many milliseconds. */
  occupants(ms: number): readonly Occupant[]
  /** The plugin outside of this package that a file belongs to. */
  ownerOf(file: string): string | undefined
  /** Whether any code is there that is not this package's, for which it is worth while to be ready at once. */
  readonly strangers: boolean
}

/**
 * Tells the log when the event loop was blocked, by which plugin, and in which command. Stacks are sampled from the start where plugins
 * of others are loaded, else from the first time that the loop was blocked.
 */
export class LoopWatch {
  readonly #watched: Watched
  #timer: NodeJS.Timeout | undefined
  #sampler: Sampler | undefined
  #last = 0
  /** Processor time of this process at the last beat, in milliseconds. */
  #cpu = 0
  #told = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor(watched: Watched) {
    this.#watched = watched
  }

  async start(): Promise<void> {
    if (this.#watched.strangers) await this.#sample()
    this.#last = performance.now()
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#sampler?.stop()
    this.#sampler = undefined
  }

  #beat(): void {
    const now = performance.now()
    const gap = now - this.#last
    this.#last = now
    const { user, system } = process.cpuUsage()
    const used = (user + system) / 1000 - this.#cpu
    this.#cpu += used
    if (gap < this.#watched.blockedMs) {
      this.#sampler?.tidy()
      return
    }
    if (now - this.#told < PAUSE_MS) {
      this.#untold++
      return
    }
    this.#told = now
    this.#tell(gap, used >= gap * BUSY)
  }

  #tell(gap: number, busy: boolean): void {
    const { log, occupants, ownerOf } = this.#watched
    const frames = this.#sampler?.take(gap) ?? []
    const there = occupants(gap)
    const at = frames.findIndex(({ file }) => ownerOf(file) !== undefined)
    const before = this.#untold === 0 ? '' : `; ${this.#untold} more times since it was last told`
    this.#untold = 0
    const blocked = `the event loop was blocked for ${(gap / 1000).toFixed(1)} s`
    if (at >= 0) {
      const plugin = ownerOf(frames[at]!.file)!
      const ofPlugin = there.filter(({ inside }) => inside === plugin)
      log.error(
        `${blocked} by plugin '${plugin}' (${placed(frames[at]!)}) ${listed('in', ofPlugin.length > 0 ? ofPlugin : there)}${before}`
      )
    } else if (!busy && frames.length === 0) {
      log.error(`the event loop did not turn for ${(gap / 1000).toFixed(1)} s, in which this process hardly got a processor${before}`)
    } else {
      const [one] = there
      const by = there.length === 1 ? ` by plugin '${one!.inside}' in '${one!.command}'` : ` ${listed('while', there)}`
      log.error(`${blocked}${by}${frames.length > 0 ? ` (${placed(frames[0]!)})` : ''}${before}`)
    }
    if (this.#sampler === undefined) void this.#sample()
  }

  async #sample(): Promise<void> {
    const { Sampler } = await import('./sampler.ts')
    this.#sampler ??= new Sampler()
  }
}

function placed({ name, file, line }: StackFrame): string {
  return file === '' ? name || 'no name' : `${name || 'a function'} at ${file.replace(/^file:\/\//, '')}:${line}`
}

function listed(how: 'in' | 'while', occupants: readonly Occupant[]): string {
  if (occupants.length === 0) return 'outside of any call'
  const names = occupants.slice(0, 5).map(({ command, inside }) => `'${command}' of plugin '${inside}'`)
  const more = occupants.length > 5 ? ` and ${occupants.length - 5} more` : ''
  if (how === 'in')
    return `in ${occupants
      .slice(0, 5)
      .map(({ command }) => `'${command}'`)
      .join(', ')}${more}`
  return `while ${names.join(', ')}${more} ${occupants.length === 1 ? 'was' : 'were'} under way`
}
