import type { Format } from '../../../core/contract/params.ts'
import { printableLine } from '../../printable.ts'

/** The longest text that is offered, in characters. */
const LONGEST = 1024

/** Whether text shows as it is, on one line, so that a person sees what is inserted. */
export function isShowable(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= LONGEST && printableLine(text) === text
}

/** Whether a value that somebody else knows is what it should be: a CID, a path, an ID, an address, or else a name that shows as it is. */
export async function isCompletable(value: unknown, format: Format): Promise<boolean> {
  if (!isShowable(value)) return false
  try {
    switch (format) {
      case 'cid':
        ;(await import('../../../core/cid/parse.ts')).parseCid(value)
        break
      case 'content-path':
        ;(await import('../../../core/path/parse.ts')).parseContentPath(value)
        break
      case 'peer-id':
        ;(await import('../../../core/keys/peer-id.ts')).parsePeerId(value)
        break
      case 'multiaddr':
        return value.startsWith('/')
    }
    return true
  } catch {
    return false
  }
}
