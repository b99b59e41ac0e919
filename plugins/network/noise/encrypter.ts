import type { ConnectionEncrypter, MessageStream } from '@libp2p/interface'
import { closeWritten, writeAtOnce } from '../streams/writes.ts'
import { type Cipher, TAG, withKeptKeys } from './cipher.ts'

type Messages = Parameters<Cipher['decrypt']>[0]

/** A connection of the library's whose messages are encrypted. */
interface Encrypted {
  readonly handshake: { decrypt(message: Messages): Messages }
  decrypt(message: Messages): Messages
}

/**
 * Noise by the library, which agrees on the keys and frames the messages. What each message costs is less: keys are not handed over anew, what came is
 * not copied beside being decrypted, and what is encrypted goes to the socket in one call.
 */
export async function noiseEncrypter(): Promise<(components: unknown) => ConnectionEncrypter> {
  const { noise } = await import('@chainsafe/libp2p-noise')
  return components => {
    const made = noise()(components as Parameters<ReturnType<typeof noise>>[0])
    const inner = made as typeof made & { crypto: Cipher }
    inner.crypto = { ...inner.crypto, ...withKeptKeys(inner.crypto) }
    for (const secure of ['secureInbound', 'secureOutbound'] as const) {
      const library = made[secure].bind(made) as (connection: MessageStream, options?: object) => ReturnType<typeof made.secureInbound>
      made[secure] = async (connection: MessageStream, options?: object) => {
        const secured = await library(connection, options)
        decryptInPlace(secured.connection as unknown as Encrypted)
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
