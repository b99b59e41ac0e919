import type { Example, Status } from '../../../core/contract/command.ts'
import type { Parameters } from '../../../core/contract/params.ts'

/** A program of this command line, as the table of commands knows it; declared in the same words as the node's commands, so parsed and explained the same way. */
export interface ProgramDeclaration {
  readonly path: string
  readonly status: Status
  readonly help: string
  readonly args: Parameters
  readonly options: Parameters
  readonly body: undefined
  readonly examples: readonly Example[]
  /** Whether it is left out of lists. */
  readonly hidden: boolean
  /** Runs whatever is wrong with the configuration, and whether or not it was loaded. */
  readonly tolerant: boolean
}
