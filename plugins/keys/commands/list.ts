import { command, Keys, p, value } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, keyList, listing } from '../replies.ts'

export const list = command({
  path: 'key/list',
  access: 'read',
  help: "List the key pairs of this node, its own, called 'self', first.",
  examples: [{ title: 'List names and IDs', args: 'key list -l' }],
  needs: { keys: Keys },
  options: { l: p.bool('With IDs, in text.').default(false), ipnsBase },
  reply: value(keyList),
  xml: 'KeyOutputList',
  text: (item, { options }) => listing(item, { long: options.l }),
  async run({ keys }, { options }) {
    const encode = entryEncoder(options.ipnsBase)
    return { Keys: (await keys.list()).map(encode) }
  }
})
