import { trimRight } from '../../../core/go/index.ts'
import type { NameRoute, Repo } from '../../../core/index.ts'
import { formatName } from '../../../core/ipns/index.ts'
import { nameErrors } from '../errors.ts'

const RECORD_TYPE = 'application/vnd.ipfs.ipns-record'
const PATH = '/routing/v1/ipns'

/** The publishers over HTTP that the configuration names (`Ipns.DelegatedPublishers`); `auto`, of newer versions of Kubo, is nobody. @throws E_PUBLISHER_URL */
export function delegatedPublishers(repo: Pick<Repo, 'get'>): Array<Required<Pick<NameRoute, 'name' | 'publish'>>> {
  return (repo.get<string[] | null>('Ipns.DelegatedPublishers') ?? []).filter(url => url !== 'auto').map(delegatedPublisher)
}

/** A publisher over HTTP (IPFS specification, Delegated Routing V1 HTTP API). @param url - with or without the path of that API */
function delegatedPublisher(url: string): Required<Pick<NameRoute, 'name' | 'publish'>> {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw nameErrors.E_PUBLISHER_URL(url)
  const base = trimRight(url, '/')
  const endpoint = base.endsWith(PATH) ? base : base + PATH
  return {
    name: url,
    async publish(multihash, record, { signal }) {
      const headers = { 'content-type': RECORD_TYPE }
      // one that leads elsewhere is not what was configured
      const init = { method: 'PUT', headers, body: Buffer.from(record), redirect: 'error', signal } as const
      const response = await fetch(`${endpoint}/${formatName(multihash)}`, init)
      await response.body?.cancel()
      if (!response.ok) throw nameErrors.E_PUBLISHER_STATUS(response.status)
    }
  }
}
