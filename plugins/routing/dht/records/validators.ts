import { decodeMultihash } from '../../../../core/cid/index.ts'
import { messageOf, routingErrors } from '../../../../core/index.ts'
import { compareRecords, MAX_RECORD_SIZE, nowInNanoseconds, readRecord, validateRecord } from '../../../../core/ipns/index.ts'
import { peerIdBytes } from '../../../../core/keys/index.ts'

/** The largest value that is taken (IPNS specification, records). */
export const MAX_VALUE = MAX_RECORD_SIZE

/** The largest key: a namespace and a multihash. */
const MAX_KEY = 128

/**
 * Checks a value of the namespaces that a DHT of IPFS has: `pk` and `ipns` (Kubo 0.28, core/node/libp2p).
 *
 * @throws E_ROUTING_RECORD
 */
export async function checkValue(key: Uint8Array, value: Uint8Array): Promise<void> {
  const { space, multihash } = keyParts(key)
  if (value.length > MAX_VALUE) throw routingErrors.E_ROUTING_RECORD(`${value.length} bytes, of which ${MAX_VALUE} are taken`)
  if (space === 'pk') return checkPublicKey(multihash, value)
  try {
    await validateRecord(readRecord(value), multihash)
  } catch (error) {
    throw routingErrors.E_ROUTING_RECORD(messageOf(error))
  }
}

/** Whether the time of a value is over that was good. */
export function isOver(key: Uint8Array, value: Uint8Array): boolean {
  return keyParts(key).space === 'ipns' && (readRecord(value).end ?? 0n) < nowInNanoseconds()
}

/** Whether a value counts before another one of the same key, both of them good. */
export function isBetter(key: Uint8Array, value: Uint8Array, than: Uint8Array): boolean {
  return keyParts(key).space === 'ipns' && compareRecords(readRecord(value), readRecord(than)) > 0
}

/** @throws E_ROUTING_RECORD */
export function keyParts(key: Uint8Array): { readonly space: 'pk' | 'ipns'; readonly multihash: Uint8Array } {
  const slash = key.indexOf(0x2f, 1)
  const space = Buffer.from(key.subarray(0, slash + 1)).toString()
  const multihash = key.subarray(slash + 1)
  if (key.length > MAX_KEY || (space !== '/pk/' && space !== '/ipns/'))
    throw routingErrors.E_ROUTING_RECORD('the key is of no namespace that is known')
  try {
    decodeMultihash(multihash)
  } catch (error) {
    throw routingErrors.E_ROUTING_RECORD(messageOf(error))
  }
  return { space: space === '/pk/' ? 'pk' : 'ipns', multihash }
}

function checkPublicKey(multihash: Uint8Array, value: Uint8Array): void {
  if (Buffer.compare(peerIdBytes(value), multihash) !== 0) throw routingErrors.E_ROUTING_RECORD('public key does not match storage key')
}
