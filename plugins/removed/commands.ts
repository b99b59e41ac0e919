import { type Command, command, nothing } from '../../core/index.ts'
import { removedErrors } from './errors.ts'

const INSTEAD_OF_OBJECT = "'ipfs dag' or 'ipfs files'"
const INSTEAD_OF_DHT = "'ipfs routing'"

const GONE: ReadonlyArray<readonly [path: string, instead: string]> = [
  ['object/data', INSTEAD_OF_OBJECT],
  ['object/get', INSTEAD_OF_OBJECT],
  ['object/links', INSTEAD_OF_OBJECT],
  ['object/new', INSTEAD_OF_OBJECT],
  ['object/patch/append-data', INSTEAD_OF_OBJECT],
  ['object/patch/set-data', INSTEAD_OF_OBJECT],
  ['object/put', INSTEAD_OF_OBJECT],
  ['object/stat', INSTEAD_OF_OBJECT],
  ['dht/findpeer', INSTEAD_OF_DHT],
  ['dht/findprovs', INSTEAD_OF_DHT],
  ['dht/get', INSTEAD_OF_DHT],
  ['dht/provide', INSTEAD_OF_DHT],
  ['dht/put', INSTEAD_OF_DHT]
]

/** The commands that are left only to say what replaced them. */
export const removedCommands: readonly Command[] = GONE.map(([path, instead]) =>
  command.read(path, {
    status: 'removed',
    help: `Removed: use ${instead} instead.`,
    reply: nothing(),
    run() {
      throw removedErrors.E_REMOVED(instead)
    }
  })
)
