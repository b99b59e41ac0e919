/**
 * Objects: dag-pb nodes under the names that Kubo knew them by first. What is left of them in Kubo 0.28.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { diff } from './commands/diff.ts'
import { addLink } from './commands/patch/add-link.ts'
import { removeLink } from './commands/patch/rm-link.ts'
import { objectErrors } from './errors.ts'
import { objectSettings } from './settings.ts'

export default plugin({
  name: 'object',
  api: '^1',
  status: 'deprecated',
  about: 'Differences between two objects, and their links: what is left of the old interface to dag-pb nodes.',
  settings: objectSettings,
  commands: [diff, addLink, removeLink],
  errors: objectErrors
})
