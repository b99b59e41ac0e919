import { command, p, value } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, keyList, listing, nameArgument, ofKeyPairs } from '../replies.ts'

export const rm = command.write('key/rm', {
  help: 'Remove key pairs for good.',
  examples: [{ title: 'Remove a key', args: 'key rm site' }],
  ...ofKeyPairs,
  args: { name: nameArgument('Name of a key.').many().fromBody() },
  options: { l: p.bool('With IDs, in text.').default(false), ipnsBase },
  reply: value(keyList),
  xml: 'KeyOutputList',
  text: (item, { options }) => listing(item, { long: options.l }),
  async run({ keys }, { args, options }) {
    const encode = entryEncoder(options.ipnsBase)
    const removed = []
    for (const name of args.name) removed.push(encode(await keys.remove(name)))
    return { Keys: removed }
  }
})
