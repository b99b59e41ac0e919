import { type Token, token } from '../../token.ts'

/** What a fault keeps the node from. */
export interface FaultSpec {
  /** In small letters and hyphens, e.g. `store-writes`: the label of the metric, and the name in answers. */
  readonly name: string
  /** A sentence for everybody, without paths and names: callers of a public listener are told. */
  readonly about: string
  /** Whether a node that is started anew may be rid of it: then `/health` answers 503, and not `/ready` alone. */
  readonly fatal?: boolean
  /** Looks again, whenever somebody asks whether the fault is still there. It calls `set`. */
  refresh?(): void
}

/** A fault of which a part of the node tells. */
export interface Fault {
  /** @param reason - of the fault, for the operator; undefined: it is over. The log has an error line for each change between the two */
  set(reason: string | undefined): void
}

/** A fault that is there. */
export interface PresentFault {
  readonly name: string
  readonly about: string
  readonly fatal: boolean
  readonly reason: string
  readonly since: Date
}

/**
 * What keeps the node from its work: in the log, the metric `holdfast_fault`, `/health` and `/ready`, `repo/stat` and `holdfast doctor`. What one
 * caller did wrong is none.
 */
export interface Health {
  /** The same spec again gives the same fault. */
  fault(spec: FaultSpec): Fault
  /** Those that are there, in the order in which they were declared. */
  present(): readonly PresentFault[]
}
export const Health: Token<Health> = token<Health>('health')
