import { z } from 'zod'
import { cidToString } from '../../../core/cid/parse.ts'
import { Collector, command, ERROR_DETAIL, hasCode, httpOf, messageOf, p, stream } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'

const uint64 = z.int().meta({ go: 'uint64' })
/** Messages that are kept for the end. */
const MOST_MESSAGES = 1000

export const gc = command.write('repo/gc', {
  blocks: 'removes',
  help: 'Remove the blocks that no pin and no path of the mutable tree keeps, beside everything else that goes on.',
  examples: [
    { title: 'Remove what nothing keeps any more', args: 'repo gc' },
    { title: 'Say only how much room that gave back', args: 'repo gc --silent --stats' }
  ],
  needs: { collector: Collector },
  options: {
    streamErrors: p.bool('Tell errors as they come.').default(false),
    quiet: p.bool('In text, only the CIDs.').alias('q').default(false),
    silent: p.bool('Say nothing of what was removed.').default(false),
    forget: p.string('Keepers of content that are missing, and without which this and later collections go on until they are back.').many(),
    stats: p.bool('At the end, say how many blocks were removed, and bytes in them.').default(false)
  },
  reply: stream(
    z.object({
      Key: z.object({ '/': z.string() }).nullable().optional(),
      Error: z.string().optional(),
      Stats: z.object({ BlockCount: uint64, BlockBytesCount: uint64 }).optional()
    })
  ),
  xml: 'GcResult',
  progress: { of: ({ Key }) => (Key ? { done: 1, unit: 'blocks', of: Key['/'] } : undefined) },
  text({ Key, Error: message, Stats }, { options: { quiet } }) {
    if (Stats !== undefined) return `Removed ${Stats.BlockCount} blocks (${Stats.BlockBytesCount} bytes)\n`
    if (!Key) return `Error: ${message}\n`
    return quiet ? `${Key['/']}\n` : `removed ${Key['/']}\n`
  },
  async *run({ collector }, { options, signal }) {
    const { streamErrors, silent, stats, forget } = options
    const removed = { BlockCount: 0, BlockBytesCount: 0 }
    const messages: string[] = []
    let errors = 0
    let advice: string | undefined
    const fail = function* (error: unknown) {
      errors++
      if (streamErrors) yield { Key: null, Error: messageOf(error) }
      else if (messages.length < MOST_MESSAGES) messages.push(messageOf(error))
    }
    try {
      for await (const item of collector.collect({ signal, forget })) {
        if ('error' in item) {
          yield* fail(item.error)
          continue
        }
        removed.BlockCount++
        removed.BlockBytesCount += item.bytes
        if (streamErrors || !silent) yield { Key: { '/': cidToString(item.cid) } }
      }
    } catch (error) {
      signal.throwIfAborted()
      if (hasCode(error, 'E_COLLECTION_ABORTED')) advice = httpOf(error).headers?.[ERROR_DETAIL]
      yield* fail(error)
    }
    if (stats) yield { Stats: removed }
    if (errors > 0)
      throw streamErrors ? pinErrors.E_COLLECTION_ERRORS() : pinErrors.E_COLLECTION(messages, errors - messages.length, advice)
  }
})
