import type { Fault, FaultSpec, Health, Logger, Metrics, PresentFault } from '../core/index.ts'

/** The faults of one host. */
export class HostHealth implements Health {
  readonly #log: Pick<Logger, 'error'>
  readonly #faults = new Map<string, KnownFault>()

  constructor(log: Pick<Logger, 'error'>, metrics: Metrics) {
    this.#log = log
    metrics.observed(
      {
        name: 'holdfast_fault',
        whole: true,
        type: 'gauge',
        labels: ['fault'],
        help: 'What keeps the node from its work: 1 while it is there.'
      },
      () => {
        const present = new Set(this.present().map(({ name }) => name))
        return Array.from(this.#faults.keys(), fault => ({ value: present.has(fault) ? 1 : 0, labels: { fault } }))
      }
    )
  }

  fault(spec: FaultSpec): Fault {
    const known = this.#faults.get(spec.name) ?? new KnownFault(spec, this.#log)
    this.#faults.set(spec.name, known)
    return known
  }

  present(): readonly PresentFault[] {
    return [...this.#faults.values()].map(fault => fault.present()).filter(fault => fault !== undefined)
  }
}

class KnownFault implements Fault {
  readonly #spec: FaultSpec
  readonly #log: Pick<Logger, 'error'>
  #present: PresentFault | undefined

  constructor(spec: FaultSpec, log: Pick<Logger, 'error'>) {
    this.#spec = spec
    this.#log = log
  }

  present(): PresentFault | undefined {
    this.#spec.refresh?.()
    return this.#present
  }

  set(reason: string | undefined): void {
    const { name, about, fatal = false } = this.#spec
    const before = this.#present
    this.#present = reason === undefined ? undefined : { name, about, fatal, reason, since: before?.since ?? new Date() }
    // whoever looks at errors alone must learn of the end as well
    if (reason !== undefined && before === undefined) this.#log.error({ fault: name }, `${about}: ${reason}`)
    else if (reason === undefined && before !== undefined) this.#log.error({ fault: name }, `over: ${about}`)
  }
}
