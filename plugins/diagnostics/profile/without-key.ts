import type { Identity } from '../../../core/index.ts'

/** Characters by which the text of a key is found: few enough that one which V8 cut off says nothing, too many to stand there by chance. */
const BEGINNING = 12
/** The bytes of libp2p's protobuf before an ed25519 key, and the bytes of its secret half. */
const [ED25519_HEAD, ED25519_SEED] = [4, 32]

const BASE64 = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_='))
const BLANK = 0x2a

/**
 * The bytes of a heap snapshot with asterisks where it has the node's private key as text, whole or cut off: as the configuration file has it, and
 * as a JSON Web Key.
 */
export async function* withoutKey(
  chunks: AsyncIterable<Uint8Array>,
  { type, privateKey }: Pick<Identity, 'type' | 'privateKey'>
): AsyncGenerator<Uint8Array> {
  const beginnings = [Buffer.from(privateKey).toString('base64')]
  if (type === 'ed25519') beginnings.push(Buffer.from(privateKey.subarray(ED25519_HEAD, ED25519_HEAD + ED25519_SEED)).toString('base64url'))
  const needles = beginnings.map(text => Buffer.from(text.slice(0, BEGINNING)))
  let held: Uint8Array = new Uint8Array()
  let isBlanking = false
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk])
    let at: number = isBlanking ? blank(bytes, 0) : 0
    while (at < bytes.length) {
      const found = needles.map(needle => bytes.indexOf(needle, at)).filter(index => index >= 0)
      if (found.length === 0) break
      at = blank(bytes, Math.min(...found))
    }
    isBlanking = at === bytes.length
    // a key may begin at the end
    const whole = isBlanking ? bytes.length : Math.max(at, bytes.length - BEGINNING + 1)
    yield bytes.subarray(0, whole)
    held = bytes.subarray(whole)
  }
  yield held
}

/** Writes over base64. @returns where it ends */
function blank(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length && BASE64.has(bytes[at]!); at++) bytes[at] = BLANK
  return at
}
