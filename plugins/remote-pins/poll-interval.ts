import { MAX_DELAY } from '../../core/concurrency/index.ts'
import { parseDuration } from '../../core/go/index.ts'
import { messageOf } from '../../core/index.ts'
import { remotePinErrors } from './errors.ts'

const VARIABLE = 'MFS_PIN_POLL_INTERVAL'

/**
 * How often the tree is looked at, in milliseconds: what the environment says (Kubo 0.28, cmd/ipfs/kubo/pinmfs.go), else the setting.
 *
 * @throws E_REMOTE_POLL for a value that is no duration above nothing
 */
export function pollInterval(setting: number, environment: Readonly<Record<string, string | undefined>>): number {
  const said = environment[VARIABLE]
  if (said === undefined || said === '') return setting
  const milliseconds = Number(durationOf(said) / 1_000_000n)
  if (milliseconds < 1) throw remotePinErrors.E_REMOTE_POLL(VARIABLE, said, 'it has to be a millisecond or more')
  return Math.min(milliseconds, MAX_DELAY)
}

function durationOf(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    throw remotePinErrors.E_REMOTE_POLL(VARIABLE, text, messageOf(error))
  }
}
