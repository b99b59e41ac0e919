import { decodeMultihash } from '../../../core/cid/index.ts'
import { messageOf, routingErrors } from '../../../core/index.ts'
import { peerIdBytes } from '../../../core/keys/index.ts'

/** The largest value that is taken (IPNS specification, records). */
export const MAX_VALUE = 10_240

/** The largest key: a namespace and a multihash. */
const MAX_KEY = 128

/** What says whether records are good, and which of several is the best. */
export interface Validators {
  /** @throws E_ROUTING_RECORD */
  check(key: Uint8Array, value: Uint8Array): Promise<void>
  /** The index of the best of values that are good. */
  best(key: Uint8Array, values: readonly Uint8Array[]): number
}

/** The namespaces that a DHT of IPFS has: `pk` and `ipns` (Kubo 0.28, core/node/libp2p). */
export async function loadValidators(): Promise<Validators> {
  const [{ ipnsValidator }, { ipnsSelector }] = await Promise.all([import('ipns/validator'), import('ipns/selector')])
  return {
    async check(key, value) {
      const { space, multihash } = keyParts(key)
      if (value.length > MAX_VALUE) throw routingErrors.E_ROUTING_RECORD(`${value.length} bytes, of which ${MAX_VALUE} are taken`)
      if (space === 'pk') return checkPublicKey(multihash, value)
      try {
        await ipnsValidator(key, value)
      } catch (error) {
        throw routingErrors.E_ROUTING_RECORD(messageOf(error))
      }
    },
    best(key, values) {
      return values.length < 2 || keyParts(key).space === 'pk' ? 0 : ipnsSelector(key, [...values])
    }
  }
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

/** The same, loaded when they are first needed. */
export function onceLoaded(): () => Promise<Validators> {
  let loading: Promise<Validators> | undefined
  return () => {
    loading ??= loadValidators()
    return loading
  }
}
