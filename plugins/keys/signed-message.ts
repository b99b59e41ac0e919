/** Keeps a signature of data from being one of anything else that is signed with the key, such as a record (Kubo 0.28, core/coreapi/key.go). */
const DOMAIN = Buffer.from('libp2p-key signed message:')

/** The octets that are signed for some data. */
export function signedMessage(data: Uint8Array): Uint8Array {
  return Buffer.concat([DOMAIN, data])
}
