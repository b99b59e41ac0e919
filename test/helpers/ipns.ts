import { generateKeyPair, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { createIPNSRecord, marshalIPNSRecord } from 'ipns'

/** A name of its own, and records of it as the package `ipns` makes them. */
export async function makeRecord() {
  const key = await generateKeyPair('Ed25519')
  return {
    name: peerIdFromPrivateKey(key).toString(),
    publicKey: publicKeyToProtobuf(key.publicKey),
    async record(sequence: bigint, lifetime = 3_600_000): Promise<Uint8Array> {
      return marshalIPNSRecord(await createIPNSRecord(key, '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn', sequence, lifetime))
    }
  }
}
