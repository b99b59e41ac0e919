import { messageOf } from '../errors.ts'
import { identityOf } from '../keys/keypair.ts'
import type { Identity, NodeConfig } from '../services/storage/repo.ts'
import { repoErrors } from './errors.ts'

/**
 * The key pair that a configuration holds.
 *
 * @param where how a message calls the configuration
 * @param options.ofKeyAlone whatever peer ID stands beside it
 * @throws E_REPO_IDENTITY when there is none, or the peer ID is another's
 */
export function identityIn(config: NodeConfig, where: string, { ofKeyAlone = false } = {}): Identity {
  const { PeerID, PrivKey } = (config['Identity'] ?? {}) as { PeerID?: string | null; PrivKey?: string | null }
  if (!PrivKey) throw repoErrors.E_REPO_IDENTITY(where, 'there is none')
  let identity: Identity
  try {
    identity = identityOf(Buffer.from(PrivKey, 'base64'))
  } catch (error) {
    throw repoErrors.E_REPO_IDENTITY(where, `not a private key: ${messageOf(error)}`)
  }
  if (!ofKeyAlone && PeerID && PeerID !== identity.peerId) {
    throw repoErrors.E_REPO_IDENTITY(where, `it belongs to the peer ${identity.peerId}, but Identity.PeerID is ${PeerID}`)
  }
  return identity
}
