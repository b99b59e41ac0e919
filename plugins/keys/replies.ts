import { z } from 'zod'
import { Keys, type NamedKey, p, value } from '../../core/index.ts'
import { formatPeerId, parsePeerId } from '../../core/keys/index.ts'

export const keyEntry = z.object({ Name: z.string(), Id: z.string() })

/** The answer of commands that make a key. */
export const keyReply = { reply: value(keyEntry), xml: 'KeyOutput', text: ({ Id }: KeyReply) => `${Id}\n` }

/** The declaration of commands that change key pairs. */
export const ofKeyPairs = { blocks: 'neither', needs: { keys: Keys } } as const

/** How text shows the ID of a key that is encrypted, which is not known without the passphrase; in a reply it is empty. */
const SEALED = 'encrypted'

export const keyList = z.object({ Keys: z.array(keyEntry) })

export type KeyReply = z.input<typeof keyEntry>

/** How the ID of a key is written. */
export const ipnsBase = p.string('How IDs are written: b58mh, or a multibase.').default('base36')

/** The names of keys but the node's own, for a shell that completes one. */
export const nameArgument = (help: string) =>
  p.name(help).completedBy('key/list', ({ Keys }: z.input<typeof keyList>) => Keys.map(({ Name }) => Name).filter(name => name !== 'self'))

/**
 * Writes IDs in a base.
 *
 * @throws E_MULTIBASE_UNSUPPORTED, E_MULTIBASE_EMPTY before anything is written
 */
export function entryEncoder(base: string): (key: Pick<NamedKey, 'name' | 'peerId'>) => KeyReply {
  formatPeerId(new Uint8Array(), base)
  return ({ name, peerId }) => ({ Name: name, Id: formatPeerId(parsePeerId(peerId), base) })
}

/** Keys as lines: names, or with `long` their IDs too, in columns. */
export function listing({ Keys }: z.input<typeof keyList>, { long }: { long: boolean }): string {
  if (!long) return Keys.map(({ Name }) => `${Name}\n`).join('')
  const shown = Keys.map(({ Name, Id }) => ({ Name, Id: Id || SEALED }))
  const [ids, names] = [shown.map(({ Id }) => Id.length), shown.map(({ Name }) => [...Name].length)].map(widths => Math.max(...widths))
  return shown.map(({ Name, Id }) => `${Id.padEnd(ids!)} ${Name}${' '.repeat(names! - [...Name].length)} \n`).join('')
}
