import type { Json, ListenAtMultiaddr, Repo } from '../../core/index.ts'

/** Where the gateway opens: `Addresses.Gateway` of the node configuration; undefined where it names none. Any host name may be asked. */
export function gatewayAddresses(repo: Pick<Repo, 'get'>): readonly ListenAtMultiaddr[] | undefined {
  const configured = repo.get<Json>('Addresses.Gateway')
  const texts = (Array.isArray(configured) ? configured : [configured]).filter(text => typeof text === 'string' && text !== '')
  return texts.length === 0 ? undefined : texts.map(multiaddr => ({ multiaddr: multiaddr as string, allowedHosts: ['*'] }))
}
