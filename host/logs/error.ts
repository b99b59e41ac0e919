import { pino } from 'pino'
import { MOST_CAUSES, messageOf, stackOf, withCauses } from '../../core/errors.ts'

/** The fields that a line of the log has of whatever was thrown; never throws. */
export function written(error: unknown): unknown {
  const chain = withCauses(error)
  try {
    // this one marks what it has seen in the error itself, which may be frozen, and goes down all causes
    if (chain.length < MOST_CAUSES) return pino.stdSerializers.err(error as Error)
  } catch {
    // the text alone is told
  }
  return {
    message: chain.length === 0 ? messageOf(error) : chain.map(messageOf).join(': '),
    stack: chain.map(stackOf).join('\ncaused by: ')
  }
}
