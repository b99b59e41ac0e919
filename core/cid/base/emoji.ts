import { cidErrors } from '../../errors/cid.ts'
import { encodeUtf8, fromByteString } from '../../go/utf8.ts'
import { EMOJI } from '../tables/emoji.ts'
import type { DigitCodec } from './types.ts'

const values: ReadonlyMap<string, number> = new Map(EMOJI.map((char, byte) => [char, byte]))

/** One emoji a byte. */
export const base256emoji: DigitCodec = {
  group: 1,
  encode(bytes) {
    let text = ''
    for (const byte of bytes) text += EMOJI[byte]
    return text
  },
  decode(digits) {
    const bytes: number[] = []
    let offset = 0
    for (const char of fromByteString(digits)) {
      const byte = values.get(char)
      if (byte === undefined) throw illegal(offset, char)
      bytes.push(byte)
      offset += encodeUtf8(char).length
    }
    return Uint8Array.from(bytes)
  }
}

function illegal(at: number, char: string): Error {
  const shown = char.isWellFormed() ? char : '\ufffd'
  return cidErrors.E_MULTIBASE_TEXT(`illegal base256emoji data at input byte ${at}, char: '${shown}'`)
}
