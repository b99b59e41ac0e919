import { encodeUtf8 } from '../../../core/go/utf8.ts'

/** Text as it is written out; what is no UTF-8 in it (see `core/go/utf8.ts`) becomes the bytes it stands for. */
export function bytesOf(text: string): Uint8Array {
  return text.isWellFormed() ? Buffer.from(text) : encodeUtf8(text)
}
