import { decodeUtf8 } from '../../go/utf8.ts'
import { cidErrors } from '../errors.ts'
import { EMOJI } from '../tables/emoji.ts'
import type { DigitCodec } from './types.ts'

const digits: readonly Buffer[] = EMOJI.map(char => Buffer.from(char))
/** A digit's UTF-8, read as a number, to what it stands for: most digits have four bytes, some three. */
const values: ReadonlyMap<number, number> = new Map(digits.map((utf8, byte) => [numberOf(utf8, 0, utf8.length), byte]))
const WIDEST = 4

/** One emoji a byte. */
export const base256emoji: DigitCodec = {
  group: 1,
  encode(bytes) {
    const text = Buffer.allocUnsafe(bytes.length * WIDEST)
    let size = 0
    for (const byte of bytes) size += digits[byte]!.copy(text, size)
    return text.toString('utf8', 0, size)
  },
  decode(text) {
    const utf8 = Buffer.from(text, 'latin1')
    const bytes = new Uint8Array(Math.ceil(utf8.length / 3))
    let size = 0
    for (let at = 0; at < utf8.length; size++) {
      const width = utf8[at]! >= 0xf0 ? 4 : 3
      const byte = values.get(numberOf(utf8, at, width))
      if (byte === undefined) throw illegal(utf8, at)
      bytes[size] = byte
      at += width
    }
    return bytes.slice(0, size)
  }
}

function numberOf(utf8: Buffer, at: number, width: number): number {
  return at + width <= utf8.length ? utf8.readUIntBE(at, width) : -1
}

function illegal(utf8: Buffer, at: number): Error {
  const [char = ''] = decodeUtf8(utf8.subarray(at, at + WIDEST))
  const shown = char.isWellFormed() ? char : '\ufffd'
  return cidErrors.E_MULTIBASE_TEXT(`illegal base256emoji data at input byte ${at}, char: '${shown}'`)
}
