/**
 * Pins: what this node keeps. Each is a key of its own; see `record.ts` for the form and `store.ts` for what a change does.
 *
 * @packageDocumentation
 */
import { Blocks, Blockstore, Dag, Datastore, Pins, plugin, service } from '../../core/index.ts'
import { add } from './commands/add.ts'
import { ls } from './commands/ls.ts'
import { rm } from './commands/rm.ts'
import { update } from './commands/update.ts'
import { verify } from './commands/verify.ts'
import { pinErrors } from './errors.ts'
import { PinStore } from './store.ts'

export default plugin({
  name: 'pins',
  api: '^1',
  about: 'What this node keeps: pins, direct and recursive.',
  requires: [Datastore, Blockstore, Blocks, Dag],
  provides: [service(Pins, PinStore)],
  commands: [add, ls, rm, update, verify],
  errors: pinErrors
})
