import { optional, Repo } from '../../core/index.ts'
import { onlineForCommand } from '../../core/network/index.ts'
import { p2pErrors } from './errors.ts'
import { P2p } from './service.ts'

/** The declaration that all commands of services of peers share. */
export const ofP2p = { status: 'experimental', needs: { repo: Repo, p2p: optional(P2p) } } as const

/** The service, where the node configuration has it on at this moment and the node has peers. @throws E_P2P_OFF, E_NEEDS_ONLINE */
export function switchedOn({ repo, p2p }: { readonly repo: Pick<Repo, 'get'>; readonly p2p: P2p | undefined }): P2p {
  if (repo.get('Experimental.Libp2pStreamMounting') !== true) throw p2pErrors.E_P2P_OFF()
  return onlineForCommand(p2p)
}
