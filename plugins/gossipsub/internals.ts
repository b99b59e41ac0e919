import type { PeerId, Stream } from '@libp2p/interface'
import type { MessageCache } from './history.ts'
import type { SeenMessages } from './seen.ts'

/** The members of the library's class that its interface does not show: what is wrapped to count, to bound and to notice. */
export interface Internals {
  protocols: string[]
  seenCache: SeenMessages
  readonly mcache: MessageCache
  readonly score: { readonly deliveryRecords: DeliveryRecords }
  readonly subscriptions: ReadonlySet<string>
  readonly peers: Map<string, PeerId>
  /** Peers by the topic that they listen to. */
  readonly topics: ReadonlyMap<string, ReadonlySet<string>>
  /** Topics that this node listens to, and the peers that it gives all messages of each. */
  readonly mesh: ReadonlyMap<string, ReadonlySet<string>>
  readonly streamsOutbound: Map<string, OutboundStream>
  createOutboundStream(peer: PeerId, connection: { readonly id: string }): Promise<void>
  pipePeerReadStream(peer: PeerId, source: AsyncIterable<Bytes>): Promise<void>
  validateReceivedMessage(from: PeerId, message: RawMessage): Promise<{ readonly code: string; readonly reason?: string }>
  graftOnSubscribe(peer: string, topic: string): boolean
  sendGraft(peer: string, topics: readonly string[]): void
  handleIdontwant(peer: string, messages: unknown): void
  handlePeerReadStreamError(error: Error, peer: PeerId): void
  doAddBackoff(peer: string, topic: string, milliseconds: number): void
  sendRpc(peer: string, rpc: Rpc): boolean
  removePeer(peer: PeerId): void
}

/** Octets that may lie in parts. */
export interface Bytes {
  readonly byteLength: number
  subarray(): Uint8Array
}

/** A message as it came. */
export interface RawMessage {
  from?: Uint8Array
  data?: Uint8Array
  seqno?: Uint8Array
  readonly topic: string
  signature?: Uint8Array
  key?: Uint8Array
}

export interface Rpc {
  subscriptions: Array<{ readonly topic?: string }>
  messages: RawMessage[]
  control?: unknown
}

export interface OutboundStream {
  readonly rawStream: Stream
  close(options?: { signal?: AbortSignal }): Promise<void>
}

/** The record of messages for the scores of peers. */
export interface DeliveryRecords {
  readonly records: Map<string, unknown>
  readonly queue: { shift(): { readonly msgId: string } | undefined }
  ensureRecord(id: string): unknown
}
