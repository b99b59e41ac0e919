import type { ConnectionEncrypter, MessageStream, PrivateKey } from '@libp2p/interface'
import type { Uint8ArrayList } from 'uint8arraylist'
import { closeWritten, writeAtOnce } from '../streams/writes.ts'
import { agreement, type Cipher, type KeyPair, TAG, withKeptKeys } from './cipher.ts'

type Messages = Parameters<Cipher['decrypt']>[0]

/** What came of a connection and was not taken yet. */
type Octets = Pick<Uint8ArrayList, 'byteLength' | 'get'>

/** The longest message that its two octets of length can tell of. */
const LONGEST = 2 ** 16 - 1

/** A connection of the library's whose messages are encrypted. */
interface Encrypted {
  readonly decoder: { lengthDecoder(octets: Octets): number }
  readonly handshake: { decrypt(message: Messages): Messages }
  decrypt(message: Messages): Messages
}

/** The parts of the library's Noise that are done otherwise here. */
interface Parts {
  crypto: Cipher & typeof agreement
  staticKey: KeyPair
  components: { readonly privateKey: PrivateKey; readonly upgrader: unknown }
}

/**
 * Noise by the library, which leads the handshake and frames the messages. What a handshake costs is less: OpenSSL agrees on the keys, and the node's own is
 * signed once. So is what each message costs: keys are not handed over anew, what came is not copied beside being decrypted, and what is encrypted goes to
 * the socket in one call.
 */
export async function noiseEncrypter(): Promise<(components: unknown) => ConnectionEncrypter> {
  const { noise } = await import('@chainsafe/libp2p-noise')
  return components => {
    const made = noise()(components as Parameters<ReturnType<typeof noise>>[0])
    const parts = made as unknown as Parts
    parts.crypto = { ...agreement, ...withKeptKeys(parts.crypto) }
    parts.staticKey = agreement.generateKeypair()
    parts.components = signingOnce(parts.components)
    for (const secure of ['secureInbound', 'secureOutbound'] as const) {
      const library = made[secure].bind(made) as (connection: MessageStream, options?: object) => ReturnType<typeof made.secureInbound>
      made[secure] = async (connection: MessageStream, options?: object) => {
        const secured = await library(connection, options)
        decryptInPlace(secured.connection as unknown as Encrypted)
        readLengths(secured.connection as unknown as Encrypted)
        writeAtOnce(connection)
        closeWritten(connection, secured.connection)
        return secured
      }
    }
    return made
  }
}

/** Lets the parts of a message be decrypted as they are. The library first joins them, for a cipher that wants room of its own. */
function decryptInPlace(connection: Encrypted): void {
  connection.decrypt = message => {
    if (message.byteLength < TAG) throw new Error(`a message of ${message.byteLength} octets cannot prove itself`)
    return connection.handshake.decrypt(message)
  }
}

/**
 * Waits for a length that is not whole as for the rest of the longest message. The library makes an error of it, with its stack: after each message that comes,
 * as long as all else that is done with a short one.
 */
function readLengths({ decoder }: Encrypted): void {
  decoder.lengthDecoder = octets => (octets.byteLength < 2 ? LONGEST : (octets.get(0) << 8) | octets.get(1))
}

/** The same components, whose key signs the node's own once: each connection would sign the same octets anew. */
function signingOnce(components: Parts['components']): Parts['components'] {
  const { privateKey } = components
  let signed: { readonly message: Buffer; readonly signature: ReturnType<PrivateKey['sign']> } | undefined
  const sign: PrivateKey['sign'] = message => {
    const octets = Buffer.from(message.subarray())
    if (!signed?.message.equals(octets)) signed = { message: octets, signature: privateKey.sign(octets) }
    return signed.signature
  }
  return {
    privateKey: Object.assign(Object.create(privateKey), { sign }),
    // libp2p makes it later
    get upgrader() {
      return components.upgrader
    }
  }
}
