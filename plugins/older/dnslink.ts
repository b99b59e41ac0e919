import { Resolver } from 'node:dns/promises'
import { trimRight } from '../../core/go/trim.ts'
import { fromByteString } from '../../core/go/utf8.ts'
import { parseContentPath } from '../../core/path/parse.ts'
import { olderErrors } from './errors.ts'

/** Steps from name to name (go-ipfs 0.4.23, namesys). */
export const MOST_STEPS = 32

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** TXT records by name; each is its texts joined. */
interface TxtLookup {
  txt(name: string, signal: AbortSignal): Promise<readonly string[]>
}

/** TXT records of the DNS. */
export class DnsTxt implements TxtLookup {
  readonly #servers: readonly string[]

  /** @param servers - whom to ask; none: whom the system asks */
  constructor(servers: readonly string[]) {
    this.#servers = servers
  }

  async txt(name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const resolver = new Resolver()
    if (this.#servers.length > 0) resolver.setServers(this.#servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const records = await resolver.resolveTxt(name)
      // Node.js has a character for each byte
      return records.map(parts => fromByteString(parts.join('')))
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/**
 * Follows the link that a domain's TXT records name: those of `_dnslink.DOMAIN` before its own.
 *
 * @param name - `example.org` or `example.org/below/it`; what is below is kept
 * @param steps - 1: the first link, wherever it leads; more: until a path that starts with `/ipfs/`
 * @throws E_DOMAIN, E_NAME_UNRESOLVED, E_NAME_RECURSION
 */
export async function followDns(name: string, steps: number, lookup: TxtLookup, signal: AbortSignal): Promise<string> {
  let path = await linkOf(name, lookup, signal)
  if (steps === 1) return path
  for (let left = steps - 1; !path.startsWith('/ipfs/'); left--) {
    if (left === 0) throw olderErrors.E_NAME_RECURSION()
    if (!path.startsWith('/ipns/')) throw olderErrors.E_NAME_UNRESOLVED()
    path = await linkOf(path.slice('/ipns/'.length), lookup, signal)
  }
  return path
}

async function linkOf(name: string, lookup: TxtLookup, signal: AbortSignal): Promise<string> {
  const slash = name.indexOf('/')
  const domain = slash < 0 ? name : name.slice(0, slash)
  const below = slash < 0 ? '' : name.slice(slash)
  if (!isDomain(domain)) throw olderErrors.E_DOMAIN()
  const bare = domain.replace(/\.$/, '')
  const found = await Promise.all([`_dnslink.${bare}`, bare].map(at => lookup.txt(at, signal).then(firstLink, none)))
  signal.throwIfAborted()
  const path = found.find(link => link !== undefined)
  if (path === undefined) throw olderErrors.E_NAME_UNRESOLVED()
  return below === '' ? path : trimRight(path, '/') + below
}

const none = () => undefined

/** The first text that links: a path or a CID, as it is or behind `dnslink=`. */
function firstLink(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    try {
      return parseContentPath(text.replace(/^dnslink=/, '')).text
    } catch {
      // other texts of the domain are none of ours
    }
  }
  return undefined
}

function isDomain(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.')
  return name.length <= 254 && labels.length > 1 && labels.every(label => LABEL.test(label)) && /[a-z]/i.test(labels.at(-1)!)
}
