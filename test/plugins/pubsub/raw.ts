import { MetricsReport, type PeerStream } from '../../../core/index.ts'
import { generateIdentity, parsePeerId, sign } from '../../../core/keys/index.ts'
import { type Field, frames, readFields, writeFields, writeFrame } from '../../../core/network/index.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'

const signal = new AbortController().signal

/** What is said of a message; what is left out is not there. */
export interface RawMessage {
  readonly topic: string | Uint8Array
  readonly data: Uint8Array
  readonly sequence?: bigint
  readonly signed?: boolean
}

/** A peer that writes what it likes to a node's pubsub. */
export class RawPeer {
  readonly #stream: PeerStream
  readonly #identity: Awaited<ReturnType<typeof generateIdentity>>

  private constructor(stream: PeerStream, identity: Awaited<ReturnType<typeof generateIdentity>>) {
    this.#stream = stream
    this.#identity = identity
  }

  /** @param from - a node without pubsub of its own */
  static async open(from: OnlineNode, to: OnlineNode): Promise<RawPeer> {
    await from.network.dial(to.network.self, to.network.announced())
    return new RawPeer(await from.network.open(to.network.self, '/meshsub/1.1.0'), await generateIdentity())
  }

  subscribe(topics: ReadonlyArray<string | Uint8Array>): Promise<void> {
    return this.write(
      topics.map(
        topic =>
          [
            1,
            writeFields([
              [1, 1],
              [2, Buffer.from(topic)]
            ])
          ] as Field
      )
    )
  }

  publish(...messages: readonly RawMessage[]): Promise<void> {
    return this.write(messages.map(message => [2, this.message(message)] as Field))
  }

  /** The fields of one RPC (go-libp2p-pubsub 0.10, pb/rpc.proto). */
  write(fields: readonly Field[]): Promise<void> {
    return writeFrame(this.#stream, writeFields(fields), signal)
  }

  /** The ID of a message of this peer (go-libp2p-pubsub 0.10, pubsub.go). */
  id(sequence: bigint): Uint8Array {
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(sequence)
    return Buffer.concat([parsePeerId(this.#identity.peerId), number])
  }

  message({ topic, data, sequence = 1n, signed = true }: RawMessage): Uint8Array {
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(sequence)
    const fields: Field[] = [
      [1, parsePeerId(this.#identity.peerId)],
      [2, data],
      [3, number],
      [4, Buffer.from(topic)]
    ]
    if (!signed) return writeFields(fields)
    const signature = sign(this.#identity.privateKey, Buffer.concat([Buffer.from('libp2p-pubsub:'), writeFields(fields)]))
    return writeFields([...fields, [5, signature]])
  }
}

/** Takes what others say to the pubsub of a node that has none. @param onField - gets each field of each RPC */
export async function hear(node: OnlineNode, onField: (field: Field) => void): Promise<void> {
  const wrong = (why: string) => new Error(why)
  await node.network.handle('/meshsub/1.1.0', async stream => {
    for await (const frame of frames(stream, 64 * 1024 * 1024, wrong)) for (const field of readFields(frame, wrong)) onField(field)
  })
}

/** What a node counts of messages that it dropped, by their reason. */
export async function droppedOf({ host }: OnlineNode, reason: string): Promise<number> {
  const { value } = parsePrometheus(await host.service(MetricsReport)!.text())
  return value('holdfast_gossipsub_dropped_messages_total', { reason }) ?? 0
}
