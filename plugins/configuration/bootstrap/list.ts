import { z } from 'zod'
import type { NodeConfig } from '../../../core/index.ts'
import { type Changing, changeConfig } from '../change.ts'
import { configurationErrors } from '../errors.ts'
import { checkBootstrapAddress, parsePeers, peerAddresses, withoutPeers } from './peers.ts'

export const peersReply = z.object({ Peers: z.array(z.string()).describe('Multiaddrs that end in the ID of the peer.') })

type Peers = z.input<typeof peersReply>

/** The text of a reply: sorted lines. */
export const peerLines =
  (verb = '') =>
  ({ Peers }: Peers) =>
    [...Peers]
      .sort()
      .map(address => `${verb}${address}\n`)
      .join('')

/** The addresses that a node asks first, as its configuration has them. */
export function bootstrapList({ model }: Pick<Changing, 'model'>, file: NodeConfig): readonly string[] {
  return (model.typed(file)['Bootstrap'] as readonly string[] | null) ?? []
}

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
