import type { GossipSub, GossipSubComponents, Message, TopicValidatorResult } from '@libp2p/gossipsub'
import { decodeMultihash } from '../../core/cid/index.ts'
import type { Counter, Logger, Network, PubsubVerdict } from '../../core/index.ts'
import { peerIdString } from '../../core/keys/index.ts'
import { Refusals } from '../../core/network/index.ts'
import { FRAME, graftLate, guard, release, replace } from './guard.ts'
import type { Internals, RawMessage } from './internals.ts'
import type { PubsubPlan } from './plan.ts'
import { SeenMessages } from './seen.ts'
import type { GossipsubSettings } from './settings.ts'
import { keepTopicBytes } from './topics.ts'

/** Oldest last. That of 1.2 is left out as the reference has none (go-libp2p-pubsub 0.10). */
const FLOODSUB = ['/floodsub/1.0.0']
const GOSSIPSUB = ['/meshsub/1.1.0', '/meshsub/1.0.0', ...FLOODSUB]

/** Bytes of a sequence number. */
const SEQUENCE = 8

/** How long a peer may take to read what is left when its stream is closed, in milliseconds. */
const CLOSING = 1_000

/** Counters of messages and peers that are given up. */
export interface RouterCounters {
  readonly dropped: Counter
  readonly slowPeers: Counter
}

/** The library's router, and what it does not show. */
export interface Router {
  readonly library: GossipSub
  /** The library's names for the verdicts. */
  readonly verdicts: Readonly<Record<PubsubVerdict, TopicValidatorResult>>
  /** Whether there is a stream by which a peer gets what is sent. */
  reaches(peer: string): boolean
  /** Forgets the messages of a peer, or of all. @returns how many peers' there were */
  forgetSeen(peer?: string): number
}

/** Adds the library's router to the network, with the node's own limits. */
export async function addRouter(
  network: Network,
  plan: PubsubPlan,
  settings: GossipsubSettings,
  counters: RouterCounters,
  log: Logger
): Promise<Router> {
  const { gossipsub, StrictNoSign, StrictSign, TopicValidatorResult: results } = await import('@libp2p/gossipsub')
  const { RPC } = await import('@libp2p/gossipsub/message')
  keepTopicBytes(RPC)
  const library = network.add((components: GossipSubComponents) => {
    const router = gossipsub({
      globalSignaturePolicy: plan.signs ? StrictSign : StrictNoSign,
      ...(plan.signs ? { msgIdFn: messageId } : {}),
      allowPublishToZeroTopicPeers: true,
      ignoreDuplicatePublishError: true,
      emitSelf: true,
      // tags that nobody reads: each PRUNE would be a change of the peer store
      tagMeshPeers: false,
      // one message of a peer at a time, so that a peer cannot have more checked than it waits for
      awaitRpcHandler: true,
      awaitRpcMessageHandler: true,
      maxInboundDataLength: settings.maxMessage + FRAME,
      maxOutboundBufferSize: settings.maxUnsent,
      // peers behind one address are many in a household, and on one machine
      scoreParams: { IPColocationFactorWeight: 0 }
    })(components)
    watch(router as GossipSub & Internals, {
      plan,
      settings,
      counters,
      drops: new Refusals(log, 'dropped'),
      self: components.peerId.toMultihash().bytes,
      disconnect: (id, why) => network.connections(id).forEach(connection => void connection.abort(why))
    })
    guard(router as GossipSub & Internals, settings)
    return router
  })
  const { streamsOutbound } = library as GossipSub & Internals
  const { Accept: accept, Ignore: ignore, Reject: reject } = results
  return {
    library,
    verdicts: { accept, ignore, reject },
    reaches: peer => streamsOutbound.has(peer),
    forgetSeen(peer) {
      const gone = (library as GossipSub & Internals).seenCache.forget(id => peer === undefined || senderOf(id) === peer)
      return new Set(gone.map(senderOf).filter(sender => sender !== undefined)).size
    }
  }
}

/** The sender of the message of an ID, as the library writes IDs (base64); undefined for one that is not signed. */
function senderOf(id: string): string | undefined {
  const bytes = Buffer.from(id, 'base64')
  try {
    return peerIdString(decodeMultihash(bytes.subarray(0, -SEQUENCE)).bytes)
  } catch {
    return undefined
  }
}

/** The sender's multihash and the sequence number in eight bytes (go-libp2p-pubsub 0.10, pubsub.go). */
function messageId(message: Message): Uint8Array {
  if (message.type !== 'signed') return new Uint8Array()
  return Buffer.concat([message.from.toMultihash().bytes, sequenceBytes(message.sequenceNumber)])
}

export function sequenceBytes(sequence: bigint): Uint8Array {
  const bytes = Buffer.alloc(SEQUENCE)
  bytes.writeBigUInt64BE(sequence)
  return bytes
}

/** Whether the number of a message, where senders count nanoseconds since 1970, is one of a time that is so many milliseconds ahead. */
function isAhead({ seqno }: RawMessage, most: number | undefined): boolean {
  if (most === undefined || seqno?.length !== 8) return false
  return Buffer.from(seqno).readBigUInt64BE() > BigInt(Date.now() + most) * 1_000_000n
}

interface Watched {
  readonly plan: PubsubPlan
  readonly settings: GossipsubSettings
  readonly counters: RouterCounters
  readonly drops: Refusals
  /** The multihash of this node's ID. */
  readonly self: Uint8Array
  disconnect(peer: string, why: Error): void
}

function watch(router: Internals, { plan, settings, counters, drops, self, disconnect }: Watched): void {
  const { maxSeen, maxAhead, maxMessage, maxUnsent } = settings
  const { dropped, slowPeers } = counters
  const leave = (id: string, why: string) => drops.tell(`the peer ${id}`, why)
  router.protocols = plan.router === 'floodsub' ? FLOODSUB : GOSSIPSUB
  router.seenCache = new SeenMessages({ ttl: plan.seenTtl, renews: plan.renews, most: maxSeen })
  const drop = (reason: string) => {
    dropped.inc(1, { reason })
    return { code: 'invalid', reason: 'ignore' }
  }
  const validate = router.validateReceivedMessage.bind(router)
  router.validateReceivedMessage = async (from, message) => {
    // as the reference does: what nobody here has asked for is not looked at
    if (!router.subscriptions.has(message.topic)) return drop('no subscription')
    release(message)
    // what this node sent comes back from peers; it is known for longer than it is remembered (go-libp2p-pubsub 0.10, pubsub.go)
    if (plan.signs && message.from !== undefined && Buffer.compare(message.from, self) === 0) return drop('seen')
    if (!plan.signs && message.from !== undefined) return drop('invalid')
    if (plan.signs && isAhead(message, maxAhead)) return drop('future')
    const result = await validate(from, message)
    if (result.code === 'duplicate') dropped.inc(1, { reason: 'seen' })
    // what a check ignores is nothing that is wrong with the message
    if (result.code === 'invalid' && result.reason !== 'ignore')
      dropped.inc(1, { reason: plan.signs && message.signature === undefined ? 'unsigned' : 'invalid' })
    return result
  }
  const failed = router.handlePeerReadStreamError.bind(router)
  router.handlePeerReadStreamError = (error, peer) => {
    if (error.name === 'InvalidDataLengthError') {
      dropped.inc(1, { reason: 'too large' })
      leave(peer.toString(), `a message of it is too large, above ${maxMessage} bytes`)
    }
    failed(error, peer)
    if ((error as { code?: unknown }).code !== 'E_PUBSUB_RPC') return
    leave(peer.toString(), error.message)
    disconnect(peer.toString(), error)
  }
  const streams = router.streamsOutbound
  const set = streams.set.bind(streams)
  streams.set = (id, stream) => {
    const close = stream.close.bind(stream)
    stream.close = () => close({ signal: AbortSignal.timeout(CLOSING) })
    stream.rawStream.addEventListener('close', ({ error }) => {
      if (error?.name !== 'StreamBufferError') return
      slowPeers.inc()
      leave(id, `it does not read what it is sent, and more than ${maxUnsent} bytes wait`)
      const peer = router.peers.get(id)
      if (peer !== undefined && streams.get(id) === stream) router.removePeer(peer)
    })
    replace(streams.get(id))
    // behind what this node listens to, which the library says next
    queueMicrotask(() => graftLate(router, id))
    return set(id, stream)
  }
}
