import { z } from 'zod'
import { command, p, value } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, nameArgument, ofKeyPairs } from '../replies.ts'

export const rename = command.write('key/rename', {
  help: 'Give a key pair another name.',
  examples: [{ title: 'Rename a key', args: 'key rename site old-site' }],
  ...ofKeyPairs,
  args: { name: nameArgument('Name of the key.'), newName: p.name('Its new name.').wire('newName') },
  options: { force: p.bool('Remove the key that has the new name.').alias('f').default(false), ipnsBase },
  reply: value(z.object({ Was: z.string(), Now: z.string(), Id: z.string(), Overwrite: z.boolean() })),
  xml: 'KeyRenameOutput',
  text: ({ Id, Now, Overwrite }) => `Key ${Id} renamed to ${Now}${Overwrite ? ' with overwriting' : ''}\n`,
  async run({ keys }, { args, options }) {
    const encode = entryEncoder(options.ipnsBase)
    const { key, overwrote } = await keys.rename(args.name, args.newName, { force: options.force })
    return { Was: args.name, Now: args.newName, Id: encode(key).Id, Overwrite: overwrote }
  }
})
