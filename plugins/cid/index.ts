/**
 * CIDs and multibase: look at them, convert them, and list what they may be made of. Needs nothing of the node but, where a graph
 * store is there, its codecs.
 *
 * @packageDocumentation
 */
import { plugin } from '../../core/index.ts'
import { base32 } from './commands/base32.ts'
import { bases, multibaseList } from './commands/bases.ts'
import { codecs } from './commands/codecs.ts'
import { format } from './commands/format.ts'
import { hashes } from './commands/hashes.ts'
import { inspect } from './commands/inspect.ts'
import { multibaseDecode } from './commands/multibase/decode.ts'
import { multibaseEncode } from './commands/multibase/encode.ts'
import { multibaseTranscode } from './commands/multibase/transcode.ts'
import { formatErrors } from './errors.ts'
import { cidSettings } from './settings.ts'

export default plugin({
  name: 'cid',
  api: '^1',
  about: 'Looks at CIDs, converts them and multibase text, and lists codecs, hashes and bases.',
  settings: cidSettings,
  commands: [format, inspect, base32, bases, codecs, hashes, multibaseEncode, multibaseDecode, multibaseTranscode, multibaseList],
  errors: formatErrors
})
