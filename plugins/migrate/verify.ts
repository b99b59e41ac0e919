import { decodeMultihash, digestInTurns, hashFunction } from '../../core/cid/index.ts'
import { messageOf } from '../../core/index.ts'

/** Why these bytes are not the block of that multihash; undefined where they are. */
export async function faultOf(multihash: Uint8Array, bytes: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const { code, digest } = decodeMultihash(multihash)
  try {
    const made = await digestInTurns(hashFunction(code), bytes, digest.length, { signal })
    return Buffer.compare(made, digest) === 0 ? undefined : 'its bytes have another hash'
  } catch (error) {
    signal.throwIfAborted()
    return messageOf(error)
  }
}
