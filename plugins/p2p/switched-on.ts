import type { Repo } from '../../core/index.ts'
import { onlineForCommand } from '../../core/network/index.ts'
import { p2pErrors } from './errors.ts'
import type { P2p } from './service.ts'

/** The service, where the node configuration has it on at this moment and the node has peers. @throws E_P2P_OFF, E_NEEDS_ONLINE */
export function switchedOn({ repo, p2p }: { readonly repo: Pick<Repo, 'get'>; readonly p2p: P2p | undefined }): P2p {
  if (repo.get('Experimental.Libp2pStreamMounting') !== true) throw p2pErrors.E_P2P_OFF()
  return onlineForCommand(p2p)
}
