import { command, Host, hasCode, Keys, p, prefixed, type Status, value } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, type KeyReply, keyList, listing } from '../replies.ts'

export const list = listAt('key/list', 'regular')

/** The name that Kubo 0.42 has for `key/list`. */
export const ls = listAt('key/ls', 'newer')

function listAt(path: string, status: Status) {
  return command.read(path, {
    status,
    help: "List the key pairs of this node, its own, called 'self', first. One that is encrypted, while the node has no passphrase, has no ID.",
    examples: [{ title: 'List names and IDs', args: `${path.replace('/', ' ')} -l` }],
    needs: { keys: Keys, host: Host },
    options: { l: p.bool('With IDs, in text.').default(false), ipnsBase },
    reply: value(keyList),
    xml: 'KeyOutputList',
    text: (item, { options }) => listing(item, { long: options.l }),
    async run({ keys, host }, { options }) {
      const encode = host.level === '0.28' ? entryEncoder(options.ipnsBase) : newerEncoder(options.ipnsBase)
      return { Keys: await entries(keys, encode) }
    }
  })
}

/** All keys; those that cannot be read by their names alone: one that is encrypted, while there is no passphrase, and one whose file is none. */
async function entries(keys: Keys, encode: ReturnType<typeof entryEncoder>): Promise<KeyReply[]> {
  try {
    return (await keys.list()).map(encode)
  } catch (error) {
    if (!isOfOneKey(error)) throw error
  }
  const found = []
  for (const name of await keys.names()) {
    const entry = await keys.get(name).then(
      key => key && encode(key),
      (error): KeyReply => {
        if (!isOfOneKey(error)) throw error
        return { Name: name, Id: '' }
      }
    )
    if (entry !== undefined) found.push(entry)
  }
  return found
}

const isOfOneKey = (error: unknown) => ['E_KEY_SEALED', 'E_KEY_INVALID', 'E_KEY_FILE'].some(code => hasCode(error, code))

/** As {@link entryEncoder}, in the words of Kubo 0.42. */
function newerEncoder(base: string): ReturnType<typeof entryEncoder> {
  try {
    return entryEncoder(base)
  } catch (error) {
    throw prefixed('cannot get key encoder: ', error)
  }
}
