import type { Progress } from '../../../core/index.ts'
import { printableLine } from '../../printable.ts'
import type { Terminal } from '../terminal.ts'

/** Adds up what is said about single things, such as files, to what was done in all. */
export class ProgressSum {
  #before = 0
  #current = 0
  #of: string | undefined

  /** @returns what was done so far */
  add({ done, of }: Pick<Progress, 'done' | 'of'>): number {
    if (of !== this.#of || done < this.#current) {
      this.#before += this.#current
      this.#of = of
    }
    this.#current = done
    return this.#before + done
  }
}

/** The numbers that a bar shows. */
interface State {
  readonly done: number
  readonly total: number | undefined
  readonly unit: string
  /** Milliseconds since the beginning. */
  readonly elapsed: number
}

/** The time between two drawings, in milliseconds. */
const EVERY = 100

/** A line at the end of a terminal that says how far the work is; gone when the work is over. */
export class Bar {
  readonly #stderr: Terminal['stderr']
  readonly #began = performance.now()
  readonly #timer: NodeJS.Timeout
  #state: Omit<State, 'elapsed'> | undefined
  #shown = false

  constructor({ stderr }: Pick<Terminal, 'stderr'>) {
    this.#stderr = stderr
    this.#timer = setInterval(() => this.#draw(), EVERY)
    this.#timer.unref()
  }

  report(done: number, total: number | undefined, unit: string): void {
    const first = this.#state === undefined
    this.#state = { done, total, unit }
    if (first) this.#draw()
  }

  /** Makes way for what is printed; the next drawing brings it back. */
  hide(): void {
    if (!this.#shown) return
    this.#shown = false
    this.#stderr.draw('\r\x1b[K')
  }

  end(): void {
    clearInterval(this.#timer)
    this.hide()
  }

  #draw(): void {
    if (this.#state === undefined) return
    const columns = this.#stderr.columns || 80
    this.#shown = true
    const text = barText({ ...this.#state, elapsed: performance.now() - this.#began }, columns - 1)
    this.#stderr.draw(`\r${printableLine(text)}\x1b[K`)
  }
}

/** `12.50 MiB / 50.00 MiB [=====>              ]  25% 3.10 MiB/s 12s left`, as wide as there is room. */
export function barText({ done, total, unit, elapsed }: State, width: number): string {
  const rate = elapsed > 0 ? (done / elapsed) * 1000 : 0
  const perSecond = done > 0 && elapsed >= EVERY ? ` ${amount(rate, unit)}/s` : ''
  if (total === undefined || total <= 0) return `${amount(done, unit)}${perSecond}`.slice(0, width)
  const part = Math.min(1, done / total)
  const left = part < 1 && perSecond !== '' ? ` ${duration((total - done) / rate)} left` : ''
  const head = `${amount(Math.min(done, total), unit)} / ${amount(total, unit)} `
  const tail = ` ${String(Math.floor(part * 100)).padStart(3)}%${perSecond}${left}`
  const room = Math.min(40, width - head.length - tail.length - 2)
  if (room < 3) return `${head}${tail.trimStart()}`.slice(0, width)
  const filled = Math.round(part * room)
  const bar = filled >= room ? '='.repeat(room) : `${'='.repeat(Math.max(0, filled - 1))}${filled > 0 ? '>' : ''}`.padEnd(room)
  return `${head}[${bar}]${tail}`
}

const POWERS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

function amount(n: number, unit: string): string {
  if (unit !== 'bytes') return `${Math.round(n)} ${unit}`
  if (n < 1024) return `${Math.round(n)} B`
  const power = Math.min(POWERS.length, Math.floor(Math.log2(n) / 10))
  return `${(n / 1024 ** power).toFixed(2)} ${POWERS[power - 1]}`
}

function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?'
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`
  return `${Math.floor(whole / 3600)}h${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`
}
