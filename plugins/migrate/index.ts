/**
 * Moving over from Kubo, and back: all of a repo that no node works on is taken over into this node's, or written out as a repo of Kubo's. Beside
 * Kubo's own files (`kubo`), which include a LevelDB database (`leveldb`), there are the way here (`take`) and the way back (`hand`).
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { migrate } from './commands/migrate.ts'
import { migrateErrors } from './errors.ts'

export default plugin({
  name: 'migrate',
  api: '^1',
  about: 'Takes a repo of Kubo over, and writes one for it.',
  commands: [migrate],
  errors: migrateErrors
})
