import { command, Host, Keys, p, prefixed, type Status, value } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, keyList, listing } from '../replies.ts'

export const list = listAt('key/list', 'regular')

/** What Kubo 0.42 calls `key/list`. */
export const ls = listAt('key/ls', 'newer')

function listAt(path: string, status: Status) {
  return command({
    path,
    status,
    access: 'read',
    help: "List the key pairs of this node, its own, called 'self', first.",
    examples: [{ title: 'List names and IDs', args: `${path.replace('/', ' ')} -l` }],
    needs: { keys: Keys, host: Host },
    options: { l: p.bool('With IDs, in text.').default(false), ipnsBase },
    reply: value(keyList),
    xml: 'KeyOutputList',
    text: (item, { options }) => listing(item, { long: options.l }),
    async run({ keys, host }, { options }) {
      const encode = host.level === '0.28' ? entryEncoder(options.ipnsBase) : newerEncoder(options.ipnsBase)
      return { Keys: (await keys.list()).map(encode) }
    }
  })
}

/** As {@link entryEncoder}, in the words of Kubo 0.42. */
function newerEncoder(base: string): ReturnType<typeof entryEncoder> {
  try {
    return entryEncoder(base)
  } catch (error) {
    throw prefixed('cannot get key encoder: ', error)
  }
}
