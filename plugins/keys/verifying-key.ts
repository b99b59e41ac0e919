import type { Keys, NamedKey } from '../../core/index.ts'
import { inlinePublicKey, parsePeerId, peerIdString } from '../../core/keys/index.ts'
import { keysErrors } from './errors.ts'

/**
 * The public key that a name or an ID stands for. An ID that is a hash of its key stands for none, as in the reference, also where this
 * node has the key.
 *
 * @throws E_VERIFY_KEY, E_VERIFY_NO_KEY
 */
export async function verifyingKey(keys: Pick<Keys, 'get'>, text: string): Promise<Pick<NamedKey, 'name' | 'peerId' | 'publicKey'>> {
  const named = await keys.get(text)
  if (named !== undefined) return named
  let id: Uint8Array
  try {
    id = parsePeerId(text.replace(/^\/ipns\//, ''))
  } catch {
    throw keysErrors.E_VERIFY_KEY(text)
  }
  const publicKey = inlinePublicKey(id)
  if (publicKey === undefined) throw keysErrors.E_VERIFY_NO_KEY()
  return { name: '', peerId: peerIdString(id), publicKey }
}
