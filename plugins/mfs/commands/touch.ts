import { blockOptions } from '../../../core/blocks/options.ts'
import { command, p } from '../../../core/index.ts'
import { storedMtime, timeNow } from '../../../core/unixfs/metadata.ts'
import { checkPath } from '../paths.ts'
import { describing, flushOption, treePath } from './common.ts'

export const touch = command.write('files/touch', {
  help: 'Change the time of modification of a file or directory of the mutable tree.',
  examples: [
    { title: 'Let a file be of now', args: 'files touch /site/index.html' },
    { title: 'Let it be of a day in 2020', args: 'files touch --mtime=1600000000 /site/index.html' }
  ],
  ...describing,
  args: { path: treePath('A path of the tree.') },
  options: {
    mtime: p.int64('Seconds since 1970; now where there are none.'),
    mtimeNsecs: p.uint('Nanoseconds of that time.'),
    flush: flushOption
  },
  async run({ mfs }, call) {
    const { mtime = 0n, mtimeNsecs } = call.options
    const time = mtime === 0n ? timeNow() : storedMtime(mtime, mtimeNsecs)
    await mfs.describe(checkPath(call.args.path), { mtime: time }, blockOptions(call))
  }
})
