import { blockOptions } from '../../../core/blocks/options.ts'
import { command, Host, Mfs, nothing, p } from '../../../core/index.ts'
import { namingOf } from '../naming.ts'
import { flushOption, parentsOption, treePath } from './common.ts'

export const cp = command.write('files/cp', {
  help: 'Copy something within the mutable tree, or into it; nothing but its first block is fetched.',
  examples: [
    { title: 'Put a folder of a known CID into the tree', args: 'files cp /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc /new' },
    { title: 'Copy a file into a directory, which is made where there is none', args: 'files cp --parents /site/index.html /old/' }
  ],
  needs: { mfs: Mfs, host: Host },
  args: {
    source: treePath('A path of the tree, or `/ipfs/…`.'),
    dest: treePath('Where to put it: with a slash at the end into that directory, else under that name.')
  },
  options: {
    force: p.bool('Take the place of a file that is there.'),
    parents: parentsOption,
    hash: p.hash('Hash function of the directories that are made.'),
    flush: flushOption
  },
  reply: nothing(),
  async run({ mfs, host }, call) {
    const { parents, force, flush, hash } = call.options
    const { source, dest } = call.args
    await mfs.copy(source, dest, {
      ...blockOptions(call),
      parents,
      force,
      flush,
      onlyUnixFs: host.level !== '0.28',
      naming: namingOf({ hash })
    })
  }
})
