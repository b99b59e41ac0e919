import { Resolver } from 'node:dns/promises'

/** Names that lead to names, at most. */
const MOST_LEVELS = 4

/** Addresses of one name, at most. */
const MOST_ADDRESSES = 64

/** How TXT records are asked for. */
export type AskForText = (name: string, signal: AbortSignal | undefined) => Promise<readonly string[]>

/** Asks the name servers of this machine. */
export const askForText: AskForText = async (name, signal) => {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 })
  const leave = () => resolver.cancel()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return (await resolver.resolveTxt(name)).map(parts => parts.join(''))
  } catch {
    signal?.throwIfAborted()
    return []
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

/** The addresses behind one of `/dnsaddr/…`, with their peers where they name some; of another, itself (libp2p specs, addressing). */
export async function resolveDnsaddr(address: string, ask: AskForText, signal?: AbortSignal): Promise<string[]> {
  const found = new Set<string>()
  const follow = async (text: string, level: number): Promise<void> => {
    const [, name, rest] = /^\/dnsaddr\/([^/]+)(\/.*)?$/.exec(text) ?? []
    if (name === undefined) {
      if (found.size < MOST_ADDRESSES) found.add(text)
      return
    }
    if (level === MOST_LEVELS) return
    const records = await ask(`_dnsaddr.${name}`, signal)
    const targets = records.filter(record => record.startsWith('dnsaddr=')).map(record => record.slice('dnsaddr='.length))
    // what follows the name has to stand at the end of what it leads to
    const wanted = targets.filter(target => rest === undefined || target.endsWith(rest))
    for (const target of wanted.slice(0, MOST_ADDRESSES)) await follow(target, level + 1)
  }
  await follow(address, 0)
  return [...found]
}
