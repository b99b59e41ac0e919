/** First byte of a value in `blocks`: the block's bytes follow, or the size of its file. */
const INLINE = 0
const IN_FILE = 1

/** What the key of a block says: its bytes, or the size of the file that holds them. */
export type BlockValue = { readonly bytes: Uint8Array; readonly size: undefined } | { readonly bytes: undefined; readonly size: number }

export function inlineValue(bytes: Uint8Array): Uint8Array {
  const value = Buffer.allocUnsafe(bytes.byteLength + 1)
  value[0] = INLINE
  value.set(bytes, 1)
  return value
}

export function fileValue(size: number): Uint8Array {
  const value = Buffer.allocUnsafe(7)
  value[0] = IN_FILE
  value.writeUIntBE(size, 1, 6)
  return value
}

/** The bytes are a view of `value`. */
export function decodeValue(value: Uint8Array): BlockValue {
  if (value[0] === INLINE) return { bytes: new Uint8Array(value.buffer, value.byteOffset + 1, value.byteLength - 1), size: undefined }
  return { bytes: undefined, size: Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUIntBE(1, 6) }
}

/** Whether the block's bytes lie in a file of their own. */
export function isFileValue(value: Uint8Array): boolean {
  return value[0] === IN_FILE
}

/** The size in bytes of the block that `value` stands for. */
export function sizeOfValue(value: Uint8Array): number {
  return decodeValue(value).size ?? value.byteLength - 1
}

/** A Buffer's `slice` is a view where a Uint8Array's is a copy, which callers may rely on. */
export function bare(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** A multihash as the key of a Map. */
export function nameOf(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.byteLength).toString('latin1')
}
