import { z } from 'zod'
import type { Host, NodeConfig } from '../../../core/index.ts'
import { type Changing, changeConfig } from '../change.ts'
import { configurationErrors } from '../errors.ts'
import { checkBootstrapAddress, parsePeers, peerAddresses, withoutPeers } from './peers.ts'

const peers = z.array(z.string()).describe('Multiaddrs that end in the ID of the peer.')

export const peersReply = z.object({ Peers: peers })

/** The reply of a list that may not be there. */
export const listReply = z.object({ Peers: peers.nullable() })

type Peers = z.input<typeof peersReply>

/** The text of a reply: sorted lines. */
export const peerLines =
  (verb = '') =>
  ({ Peers }: z.input<typeof listReply>) =>
    [...(Peers ?? [])]
      .sort()
      .map(address => `${verb}${address}\n`)
      .join('')

/** The addresses that a node asks first, as its configuration has them. */
export function bootstrapList({ model }: Pick<Changing, 'model'>, file: NodeConfig): readonly string[] {
  return (model.typed(file)['Bootstrap'] as readonly string[] | null) ?? []
}

/** The word that stands for the peers of a new node, as it stands for those of a published list in the reference. */
export const AUTO = 'auto'

/** The peers of a new node. @throws E_BOOTSTRAP_AUTO where the configuration of a node of level 0.42 says that it has none of its own accord */
export function defaultPeers({
  model,
  repo,
  host
}: Pick<Changing, 'model' | 'repo'> & { readonly host: Pick<Host, 'level'> }): readonly string[] {
  if (host.level !== '0.28' && isAutoOff(repo)) throw configurationErrors.E_BOOTSTRAP_AUTO()
  return model.bootstrapPeers
}

/** The list with the peers of a new node in place of the word for them. */
export function expandedList(services: Pick<Changing, 'model' | 'repo'>, list: readonly string[]): readonly string[] {
  const { model, repo } = services
  return isAutoOff(repo) ? list : [...new Set(list.flatMap(one => (one === AUTO ? model.bootstrapPeers : [one])))]
}

const isAutoOff = (repo: Changing['repo']) => repo.get('AutoConf.Enabled') === false

/** Puts addresses in front of the list. @returns each of them once, those that were there already too */
export async function addPeers(services: Changing, addresses: readonly string[]): Promise<Peers> {
  const added = [...new Set(addresses)]
  await changeConfig(services, file => ({ ...file, Bootstrap: [...new Set([...added, ...bootstrapList(services, file)])] }))
  return { Peers: added }
}

/** @throws E_BOOTSTRAP_NONE, E_MULTIADDR, E_BOOTSTRAP_NO_PEER, E_BOOTSTRAP_NO_TRANSPORT */
export async function checkPeers(addresses: readonly string[]): Promise<readonly string[]> {
  if (addresses.length === 0) throw configurationErrors.E_BOOTSTRAP_NONE()
  for (const address of addresses) await checkBootstrapAddress(address)
  return addresses
}

/** Takes addresses, or all of a peer, out of the list. @returns those that were there */
export async function removePeers(services: Changing, addresses: readonly string[]): Promise<Peers> {
  const unwanted = await parsePeers(addresses)
  let gone: string[] = []
  await changeConfig(services, async file => {
    const { kept, removed } = withoutPeers(await parsePeers(bootstrapList(services, file)), unwanted)
    gone = peerAddresses(removed)
    return { ...file, Bootstrap: peerAddresses(kept) }
  })
  return { Peers: gone }
}

/** Empties the list. @returns what was in it */
export async function removeAllPeers(services: Changing): Promise<Peers> {
  let gone: string[] = []
  await changeConfig(services, async file => {
    gone = peerAddresses(await parsePeers(bootstrapList(services, file)))
    return { ...file, Bootstrap: null }
  })
  return { Peers: gone }
}
