import { blockOptions } from '../../../core/blocks/options.ts'
import { bytes, command, p } from '../../../core/index.ts'
import { ofFile } from './common.ts'

export const read = command.read('files/read', {
  help: 'Show the content of a file of the mutable tree.',
  examples: [
    { title: 'Show a file', args: 'files read /site/index.html' },
    { title: 'Show some of its bytes', args: 'files read --offset=6 --count=5 /site/index.html' }
  ],
  ...ofFile,
  options: {
    offset: p.int64('Byte to start at.').alias('o'),
    count: p.int64('Bytes to show at most.').alias('n')
  },
  reply: bytes(),
  async run({ mfs }, call) {
    const { offset = 0n, count } = call.options
    const range = { offset, ...(count === undefined ? {} : { length: count }) }
    return { bytes: await mfs.read(call.args.path, { ...blockOptions(call), ...range }) }
  }
})
