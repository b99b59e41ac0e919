import { parseCid } from '../../../core/cid/index.ts'
import { unlessAborted } from '../../../core/concurrency/index.ts'
import { messageOf, type TxtResolver } from '../../../core/index.ts'
import { domainName, parseAbsolutePath } from '../../../core/path/index.ts'
import { Deadline } from '../deadline.ts'
import { nameErrors } from '../errors.ts'

const MOST_LABEL_BYTES = 63
const MOST_NAME_BYTES = 253

const NONE = 'could not resolve name: DNSLink lookup could not find a TXT record (https://docs.ipfs.tech/concepts/dnslink/)'
const SEVERAL =
  'could not resolve name: DNSLink lookup returned more than one IPFS content path; ask domain owner to remove duplicate TXT records'

/** Whether a text could be the name of a domain: labels of 1 to 63 bytes with dots between them (miekg/dns, IsDomainName). */
export function isDomain(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return Buffer.byteLength(text) <= MOST_NAME_BYTES && labels.every(label => label !== '' && Buffer.byteLength(label) <= MOST_LABEL_BYTES)
}

/**
 * The content path that a domain has in a TXT record of `_dnslink` before it (boxo 0.19, namesys/dns_resolver.go). What is no
 * host name has none, and nobody is asked for it.
 *
 * @param limits - milliseconds that the look-up may take
 * @throws E_DNSLINK
 */
export async function dnsLink(
  name: string,
  resolver: TxtResolver,
  limits: { readonly timeout: number; readonly signal?: AbortSignal | undefined }
): Promise<string> {
  const domain = name.endsWith('.') ? name : `${name}.`
  const host = domainName(name)
  if (host === undefined) throw nameErrors.E_DNSLINK(domain, NONE)
  const deadline = new Deadline(limits.timeout, limits.signal)
  let texts: readonly string[]
  try {
    texts = await unlessAborted(resolver.texts(`_dnslink.${host}.`, deadline), deadline.signal)
  } catch (error) {
    limits.signal?.throwIfAborted()
    throw nameErrors.E_DNSLINK(domain, messageOf(error))
  } finally {
    deadline.release()
  }
  const paths = texts.flatMap(text => pathOf(text) ?? [])
  if (paths.length === 1) return paths[0]!
  throw nameErrors.E_DNSLINK(domain, paths.length === 0 ? NONE : SEVERAL)
}

/** A text is a path, a CID, or one of these after `dnslink=`. Only what leads to content counts. */
function pathOf(text: string): string | undefined {
  const value = text.startsWith('dnslink=') ? text.slice('dnslink='.length) : text
  const path = attempt(() => parseAbsolutePath(value)) ?? attempt(() => parseAbsolutePath(`/ipfs/${parseCid(value)}`))
  return path === undefined || path.namespace === 'ipld' ? undefined : path.text
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
