import { blockOptions } from '../../../core/blocks/options.ts'
import { command, Mfs, nothing } from '../../../core/index.ts'
import { flushOption, treePath } from './common.ts'

export const mv = command.write('files/mv', {
  help: 'Move or rename something in the mutable tree.',
  examples: [{ title: 'Rename a directory', args: 'files mv /site /archive' }],
  needs: { mfs: Mfs },
  args: {
    source: treePath('The path to move.'),
    dest: treePath('Where to: into a directory that is there, in place of a file, or under a new name.')
  },
  options: { flush: flushOption },
  reply: nothing(),
  async run({ mfs }, call) {
    await mfs.move(call.args.source, call.args.dest, { ...blockOptions(call), flush: call.options.flush })
  }
})
