import { z } from 'zod'
import { cidToString } from '../../../core/cid/parse.ts'
import { Collector, command, messageOf, p, stream } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'

/** Messages that are kept for the end. */
const MOST_MESSAGES = 1000

export const gc = command({
  path: 'repo/gc',
  access: 'write',
  help: 'Remove the blocks that no pin and no path of the mutable tree keeps, beside everything else that goes on.',
  examples: [{ title: 'Remove what nothing keeps any more', args: 'repo gc' }],
  needs: { collector: Collector },
  options: {
    streamErrors: p.bool('Tell errors as they come.').default(false),
    quiet: p.bool('In text, only the CIDs.').alias('q').default(false),
    silent: p.bool('Say nothing of what was removed.').default(false)
  },
  reply: stream(z.object({ Key: z.object({ '/': z.string() }).nullable(), Error: z.string().optional() })),
  xml: 'GcResult',
  progress: { of: ({ Key }) => (Key === null ? undefined : { done: 1, unit: 'blocks', of: Key['/'] }) },
  text({ Key, Error: message }, { options: { quiet } }) {
    if (Key === null) return `Error: ${message}\n`
    return quiet ? `${Key['/']}\n` : `removed ${Key['/']}\n`
  },
  async *run({ collector }, { options, signal }) {
    const { streamErrors, silent } = options
    const messages: string[] = []
    let errors = 0
    const fail = function* (error: unknown) {
      errors++
      if (streamErrors) yield { Key: null, Error: messageOf(error) }
      else if (messages.length < MOST_MESSAGES) messages.push(messageOf(error))
    }
    try {
      for await (const item of collector.collect({ signal })) {
        if ('error' in item) yield* fail(item.error)
        else if (streamErrors || !silent) yield { Key: { '/': cidToString(item.cid) } }
      }
    } catch (error) {
      signal.throwIfAborted()
      yield* fail(error)
    }
    if (errors > 0) throw streamErrors ? pinErrors.E_COLLECTION_ERRORS() : pinErrors.E_COLLECTION(messages, errors - messages.length)
  }
})
