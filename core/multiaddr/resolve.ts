import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Names that lead to names, at most. */
const MOST_LEVELS = 4

/** Addresses of one name, at most. */
const MOST_ADDRESSES = 64

/** How TXT records are asked for. */
export type AskForText = (name: string, signal: AbortSignal | undefined) => Promise<readonly string[]>

/** How the addresses of a name are asked for, those of IPv4 or of IPv6. */
export type AskForAddresses = (name: string, family: 4 | 6, signal: AbortSignal | undefined) => Promise<readonly string[]>

/** Asks the name servers of this machine for TXT records. */
export const askForText: AskForText = async (name, signal) =>
  (await asked(resolver => resolver.resolveTxt(name), signal)).map(parts => parts.join(''))

/** Asks the name servers of this machine for A or AAAA records. */
export const askForAddresses: AskForAddresses = (name, family, signal) =>
  asked(resolver => (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)), signal)

/** None where nobody answers. */
async function asked<T>(ask: (resolver: Resolver) => Promise<T[]>, signal: AbortSignal | undefined): Promise<T[]> {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 })
  const leave = () => resolver.cancel()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await ask(resolver)
  } catch {
    signal?.throwIfAborted()
    return []
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

/** One of `/dns/…`, `/dns4/…` or `/dns6/…` at each address of its name, those of IPv4 first; another, itself. */
export async function resolveHost(address: string, ask: AskForAddresses, signal?: AbortSignal): Promise<string[]> {
  const [, kind, name, after = ''] = /^\/(dns[46]?)\/([^/]+)(\/.*)?$/.exec(address) ?? []
  if (kind === undefined || name === undefined) return [address]
  const of = async (family: 4 | 6) => {
    if (kind !== 'dns' && kind !== `dns${family}`) return []
    const found = isIP(name) === 0 ? await ask(name, family, signal) : [name].filter(ip => isIP(ip) === family)
    return found.slice(0, MOST_ADDRESSES).map(ip => `/ip${family}/${ip}${after}`)
  }
  return (await Promise.all([of(4), of(6)])).flat()
}

/** The addresses behind one of `/dnsaddr/…`, with their peers where they name some; of another, itself (libp2p specs, addressing). */
export async function resolveDnsaddr(address: string, ask: AskForText, signal?: AbortSignal): Promise<string[]> {
  const found = new Set<string>()
  const follow = async (text: string, level: number): Promise<void> => {
    const [, name, after] = /^\/dnsaddr\/([^/]+)(\/.*)?$/.exec(text) ?? []
    if (name === undefined) {
      if (found.size < MOST_ADDRESSES) found.add(text)
      return
    }
    if (level === MOST_LEVELS) return
    const records = await ask(`_dnsaddr.${name}`, signal)
    const targets = records.filter(record => record.startsWith('dnsaddr=')).map(record => record.slice('dnsaddr='.length))
    // what follows the name has to stand at the end of what it leads to
    const wanted = targets.filter(target => after === undefined || target.endsWith(after))
    for (const target of wanted.slice(0, MOST_ADDRESSES)) await follow(target, level + 1)
  }
  await follow(address, 0)
  return [...found]
}
