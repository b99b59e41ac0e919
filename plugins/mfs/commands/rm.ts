import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { command, Mfs, messageOf, p, stream } from '../../../core/index.ts'
import { mfsErrors } from '../errors.ts'
import { checkPath } from '../paths.ts'
import { flushOption, treePath } from './common.ts'

export const rm = command.write('files/rm', {
  help: 'Remove files and directories from the mutable tree. Their blocks go with the next collection, unless something else keeps them.',
  examples: [{ title: 'Remove a directory with all in it', args: 'files rm -r /site' }],
  needs: { mfs: Mfs },
  args: { path: treePath('The paths to remove.').many() },
  options: {
    recursive: p.bool('Remove directories too.').alias('r'),
    force: p.bool('Remove directories too, and what is broken; no error where nothing is.'),
    flush: flushOption
  },
  reply: stream(z.string().describe('A path that could not be removed, and why.')),
  failure: { of: failure => failure, message: "can't remove some files" },
  text: failure => failure,
  terminal: failure => `${failure}\n`,
  async *run({ mfs }, call) {
    const { recursive, force } = call.options
    const failures: string[] = []
    for (const path of call.args.path) {
      let cleaned: string
      try {
        cleaned = checkPath(path)
      } catch (error) {
        failures.push(mfsErrors.E_MFS_PATH_INVALID(path, messageOf(error)).message)
        continue
      }
      try {
        await mfs.remove(cleaned, { ...blockOptions(call), recursive, force })
      } catch (error) {
        call.signal.throwIfAborted()
        failures.push(`${cleaned}: ${messageOf(error)}`)
      }
    }
    yield* failures
    if (failures.length > 0) throw mfsErrors.E_MFS_NOT_REMOVED()
  }
})
