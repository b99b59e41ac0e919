/**
 * Key pairs: making, reading and writing them, signing, and their names as peers.
 *
 * @packageDocumentation
 */
export { KEY_TYPES, type KeyType } from './encoding.ts'
export { checkBits, generateIdentity, identityOf, isPrivateKey } from './keypair.ts'
export { formatPeerId, inlinePublicKey, parsePeerId, peerIdBytes, peerIdString, tryPeerId } from './peer-id.ts'
export { identityOfPem, pemBlock, pemOf } from './pem.ts'
export { sign, verify } from './signature.ts'
