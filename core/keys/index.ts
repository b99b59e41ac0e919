/**
 * A node's key pair, and its name as a peer.
 *
 * @packageDocumentation
 */
export { generateIdentity, identityOf } from './keypair.ts'
export { formatPeerId, inlinePublicKey, parsePeerId, peerIdString } from './peer-id.ts'
