import type { Call } from '../../../core/index.ts'
import type { Pairs } from '../line/options.ts'
import type { Plan } from '../run/plan.ts'
import { Bar, ProgressSum } from './progress.ts'

/** Shows how far a call is: by what its items say, else by the bytes that are sent, or that come. */
export class Watch {
  readonly #plan: Plan
  readonly #bar: Bar
  readonly #sum = new ProgressSum()
  #sent = 0
  #received = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#bar = new Bar(plan.terminal)
  }

  /** Options that make the node tell how far it is, unless the line gives them itself. */
  asks(call: Call): Pairs {
    const { command, line } = this.#plan
    const given = new Set(line.pairs.map(([name]) => name))
    return Object.entries(command.progress?.asks?.(call) ?? {}).flatMap(([key, value]) => {
      const name = line.table.entries.find(entry => entry.key === key)?.name ?? key
      return given.has(name) ? [] : [[name, String(value)] as const]
    })
  }

  /** Takes note of an item. @returns whether that was all it says */
  isReport(item: unknown, call: Call): boolean {
    const progress = this.#plan.command.progress?.of(item, call)
    if (progress === undefined) return false
    const { total, unit, only } = progress
    this.#bar.report(this.#sum.add(progress), total ?? (unit === 'bytes' ? this.#plan.upload?.total() : undefined), unit)
    return only === true
  }

  sent(bytes: number): void {
    this.#sent += bytes
    if (this.#plan.command.progress === undefined) this.#bar.report(this.#sent, this.#plan.upload?.total(), 'bytes')
  }

  received(bytes: number, total: number | undefined): void {
    this.#received += bytes
    this.#bar.report(this.#received, total, 'bytes')
  }

  hide(): void {
    this.#bar.hide()
  }

  end(): void {
    this.#bar.end()
  }
}
