/** Turns bytes into the digits of one base and back; digits stand without the multibase prefix. */
export interface DigitCodec {
  /** The number of bytes that make whole digits, so that a long input can be encoded in pieces; undefined where it cannot. */
  readonly group?: number
  encode(bytes: Uint8Array): string
  /**
   * @param digits - one character a byte (see `byteString` in core/go/utf8.ts), so that complaints name byte offsets
   * @throws E_MULTIBASE_TEXT
   */
  decode(digits: string): Uint8Array
}

/** Reads digits into memory of their own: Node's shared pool would keep 8 KiB alive for each small CID. */
export function readDigits(digits: string, encoding: 'hex' | 'base64', size: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(size)
  return bytes.subarray(0, bytes.write(digits, encoding))
}

/** Views any bytes as a Buffer, without copying. */
export function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
