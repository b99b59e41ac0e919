import { byteString } from '../../../core/go/utf8.ts'

/** First byte of a value in `blocks`. */
const INLINE = 0
const IN_FILE = 1
const IN_SEGMENT = 2

/** Where in a segment a block's bytes lie: the segment's number, the offset and the size in bytes. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly size: number
}

/** The value under the key of a block: its bytes, or the size of its file, or its place in a segment. */
export type BlockValue =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array; readonly size: number }
  | { readonly kind: 'file'; readonly size: number }
  | ({ readonly kind: 'segment' } & Place)

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

export function segmentValue({ segment, offset, size }: Place): Uint8Array {
  const value = Buffer.allocUnsafe(17)
  value[0] = IN_SEGMENT
  value.writeUIntBE(size, 1, 6)
  value.writeUInt32BE(segment, 7)
  value.writeUIntBE(offset, 11, 6)
  return value
}

/** The bytes of an inline block are a view of `value`. */
export function decodeValue(value: Uint8Array): BlockValue {
  if (value[0] === INLINE) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset + 1, value.byteLength - 1)
    return { kind: 'inline', bytes, size: bytes.byteLength }
  }
  const view = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const size = view.readUIntBE(1, 6)
  if (value[0] === IN_FILE) return { kind: 'file', size }
  return { kind: 'segment', size, segment: view.readUInt32BE(7), offset: view.readUIntBE(11, 6) }
}

/** Whether a value that begins with this byte holds the block's bytes itself. */
export function isInlineKind(first: number): boolean {
  return first === INLINE
}

/** Whether the block's bytes lie in a file of their own. */
export function isFileValue(value: Uint8Array): boolean {
  return value[0] === IN_FILE
}

/** Whether the block's bytes lie in a segment. */
export function isSegmentValue(value: Uint8Array): boolean {
  return value[0] === IN_SEGMENT
}

/** The size in bytes of the block that `value` stands for. */
export function sizeOfValue(value: Uint8Array): number {
  return decodeValue(value).size
}

/** A Buffer's `slice` is a view where a Uint8Array's is a copy, which callers may rely on. */
export function bare(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** The same bytes in memory of their own, which whoever gets them may change. */
export function copied(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

/** A multihash as the key of a Map. */
export function nameOf(multihash: Uint8Array): string {
  return byteString(multihash)
}

/** The multihash that {@link nameOf} made a name of. */
export function multihashOf(name: string): Uint8Array {
  return bare(Buffer.from(name, 'latin1'))
}
