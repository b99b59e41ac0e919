import { type Token, token } from '../../token.ts'
import type { Lease } from '../storage/blocks.ts'

/** A message as its subscribers get it. */
export interface PubsubMessage {
  /** base58; `''` where messages are not signed. */
  readonly from: string
  readonly topic: string
  readonly data: Uint8Array
  /** Eight bytes, big-endian; none where messages are not signed. */
  readonly sequence: Uint8Array
}

/**
 * The verdict on a message of a peer: `accept` hands it on, to subscribers and to other peers; `ignore` drops it; `reject` drops it and counts it as
 * invalid.
 */
export type PubsubVerdict = 'accept' | 'ignore' | 'reject'

/** Judges a message of a topic. @param by - the peer that it came from, which need not be its sender */
export type PubsubCheck = (message: PubsubMessage, by: string) => Promise<PubsubVerdict> | PubsubVerdict

/** A topic that is listened to, from the moment it is made. It ends when the iteration does. */
export interface PubsubSubscription extends AsyncIterable<PubsubMessage> {
  /** Listens no more. */
  close(): void
}

/**
 * Messages to all peers that listen to a topic, by gossipsub or floodsub. Absent on a node that runs offline.
 *
 * Topics are any bytes. One that is no UTF-8 is the string that `decodeUtf8` (`holdfast/go`) makes of it, and `encodeUtf8` gives its bytes.
 *
 * Where `enabled` is false, every method throws E_PUBSUB_OFF.
 */
export interface Pubsub {
  /** Whether the configuration or a flag switched it on. */
  readonly enabled: boolean
  /** The most bytes of a message. */
  readonly maxMessage: number
  /** Topics that somebody on this node listens to. */
  topics(): readonly string[]
  /** Peers (base58) that messages are sent to: all that speak pubsub, or those that listen to a topic. Sorted. */
  peers(topic?: string): readonly string[]
  /** Sends to the peers that listen and to this node's own subscribers. Nobody says whether it arrived. @throws E_PUBSUB_TOO_LARGE */
  publish(topic: string, data: Uint8Array): Promise<void>
  /** A subscriber that takes its messages slowly misses those that there is no room for. `signal` ends it by an error. */
  subscribe(topic: string, options?: { signal?: AbortSignal }): PubsubSubscription
  /** Forgets which messages of a peer (base58), or of all, were seen: they arrive once more where they are sent again. @returns how many peers' there were */
  forgetSeen(peer?: string): number
  /** Has each message of peers under a topic judged before anybody gets it, until it is released. @throws E_PUBSUB_CHECKED where another judges them */
  check(topic: string, check: PubsubCheck): Lease
  /** Called when a peer begins to listen to a topic, whoever listens here. @returns what ends it */
  onJoin(listener: (peer: string, topic: string) => void): () => void
}
export const Pubsub: Token<Pubsub> = token<Pubsub>('pubsub')
