import { parsePeerId } from '../../core/keys/index.ts'
import { routingPluginErrors } from './errors.ts'

/**
 * The octets of a key that is written as `/ipns/PEER` or `/pk/PEER`.
 *
 * @throws E_ROUTING_KEY, E_PEER_ID, E_PEER_ID_CODEC
 */
export function routingKey(text: string): Uint8Array {
  const [before, space, peer, ...more] = text.split('/')
  if (before !== '' || peer === undefined || more.length > 0 || (space !== 'ipns' && space !== 'pk'))
    throw routingPluginErrors.E_ROUTING_KEY()
  return Buffer.concat([Buffer.from(`/${space}/`), parsePeerId(peer)])
}
