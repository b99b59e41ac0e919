/**
 * Commands that Kubo 0.28 has no more, but for an answer that names what replaced them.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { removedCommands } from './commands.ts'
import { removedErrors } from './errors.ts'

export default plugin({
  name: 'removed',
  api: '^1',
  status: 'removed',
  about: 'Commands that are gone, and say what replaced them.',
  commands: removedCommands,
  errors: removedErrors
})
