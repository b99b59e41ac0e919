import { varint } from '../../../core/cid/encoded-varint.ts'

/** A field of a message of protobuf whose value is bytes, octet by octet. */
export const field = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])

/** A message behind its length, as the protocols of libp2p send it. */
export const framed = (message: Uint8Array): Buffer => Buffer.concat([varint(message.length), message])
