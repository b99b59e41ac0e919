import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'

/** The library's codec of a kind of messages: the members that are used here. */
interface Codec {
  encode(message: unknown, writer: Writer, options?: unknown): void
  decode(reader: Reader, length?: number, options?: unknown): unknown
}

interface Writer {
  bytes(value: Uint8Array): Writer
  string(value: string): Writer
}

interface Reader {
  bytes(): Uint8Array
  string(): string
}

/** Kinds of messages that are written or read by themselves: an RPC, and a message as it is signed. */
interface RpcCodecs {
  codec: unknown
  readonly Message: { codec: unknown }
}

/** Codecs that have been wrapped: the library has one of each for the whole process. */
const wrapped = new WeakSet<RpcCodecs>()

/**
 * Has the library keep each byte of topics, which it takes for UTF-8: all texts of its messages are topics (libp2p/specs, pubsub). A topic that is no
 * UTF-8 is a string of {@link decodeUtf8} to it, on the wire and under signatures the bytes themselves.
 */
export function keepTopicBytes(rpc: RpcCodecs): void {
  if (wrapped.has(rpc)) return
  wrapped.add(rpc)
  rpc.codec = keepingBytes(rpc.codec as () => Codec)
  rpc.Message.codec = keepingBytes(rpc.Message.codec as () => Codec)
}

/** A topic as it is after its way over the wire: the same where it is text, or what {@link decodeUtf8} gives. */
export const topicOnWire = (topic: string): string => (topic.isWellFormed() ? topic : decodeUtf8(encodeUtf8(topic)))

function keepingBytes(codec: () => Codec): () => Codec {
  let made: Codec | undefined
  return () => {
    if (made !== undefined) return made
    const library = codec()
    made = {
      ...library,
      encode(message, writer, options) {
        writer.string = text => writer.bytes(encodeUtf8(text))
        library.encode(message, writer, options)
      },
      decode(reader, length, options) {
        reader.string = () => decodeUtf8(reader.bytes())
        return library.decode(reader, length, options)
      }
    }
    return made
  }
}
