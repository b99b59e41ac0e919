import { blockOptions } from '../../../core/blocks/options.ts'
import { type Body, command, files, nothing, p } from '../../../core/index.ts'
import { mfsErrors } from '../errors.ts'
import { namingOf, namingOptions } from '../naming.ts'
import { checkPath } from '../paths.ts'
import { flushOption, ofFile, parentsOption } from './common.ts'

export const write = command.write('files/write', {
  help: 'Write into a file of the mutable tree.',
  examples: [
    { title: 'Make a file out of one of this machine', args: 'files write --create --parents /site/index.html site/index.html' },
    { title: 'Replace all of it', args: 'files write --truncate /site/index.html site/index.html' },
    { title: 'Change some bytes in its middle', args: 'files write --offset=6 --count=5 /site/index.html site/index.html' }
  ],
  ...ofFile,
  options: {
    offset: p.int64('Byte to begin at; zeros come before it where the file is shorter.').alias('o'),
    create: p.bool('Make the file where there is none.').alias('e'),
    parents: parentsOption,
    truncate: p.bool('Make the file empty first.').alias('t'),
    count: p.int64('Most bytes to take.').alias('n'),
    rawLeaves: p.bool('Keep new content in raw blocks.'),
    ...namingOptions,
    flush: flushOption
  },
  body: files('data', 'The bytes to write.', { many: false }),
  reply: nothing(),
  async run({ mfs }, call) {
    const { offset = 0n, create, parents, truncate, count, rawLeaves, flush } = call.options
    const path = checkPath(call.args.path)
    const naming = namingOf(call.options)
    const how = { ...blockOptions(call), offset, create, parents, truncate, count, rawLeaves, flush, naming }
    await mfs.write(path, dataOf(call.body), how)
  }
})

/** The bytes of the first file that was sent. @throws E_MFS_UPLOAD, E_MFS_UPLOAD_KIND */
async function* dataOf(body: Body): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    // A part below another folder stands for that folder.
    if (part.kind === 'directory' || part.path.lastIndexOf('/') > 0) throw mfsErrors.E_MFS_UPLOAD_KIND()
    yield* part.bytes({ lent: true })
    return
  }
  throw mfsErrors.E_MFS_UPLOAD()
}
