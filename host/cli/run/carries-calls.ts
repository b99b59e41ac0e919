import type { Command } from '../../../core/index.ts'
import { Calls } from '../../../core/services/host/calls.ts'
import { tokenOf } from '../../../core/token.ts'

/** Whether a command carries the calls of others to the node, in whichever process that is. It serves until its caller, or a signal, ends it. */
export function carriesCalls({ local, needs }: Command): boolean {
  return local && Object.values(needs).some(need => tokenOf(need) === Calls)
}
