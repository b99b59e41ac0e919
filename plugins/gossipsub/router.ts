import type { GossipSub, GossipSubComponents, Message, TopicValidatorResult } from '@libp2p/gossipsub'
import type { PeerId, Stream } from '@libp2p/interface'
import type { Counter, Network, PubsubVerdict } from '../../core/index.ts'
import type { PubsubPlan } from './plan.ts'
import { SeenMessages } from './seen.ts'
import type { GossipsubSettings } from './settings.ts'

/** Oldest last. That of 1.2 is left out as the reference has none (go-libp2p-pubsub 0.10). */
const FLOODSUB = ['/floodsub/1.0.0']
const GOSSIPSUB = ['/meshsub/1.1.0', '/meshsub/1.0.0', ...FLOODSUB]

/** What a message's frame takes besides its data: IDs, signature, key and topic. */
const FRAME = 64 * 1024

/** How long a peer may take to read what is left when its stream is closed, in milliseconds. */
const CLOSING = 1_000

/** What is counted of messages and peers that are given up. */
export interface RouterCounters {
  readonly dropped: Counter
  readonly slowPeers: Counter
}

/** The members of the library's class that its interface does not show: what is wrapped to count, to bound and to notice. */
interface Internals {
  protocols: string[]
  seenCache: SeenMessages
  readonly peers: Map<string, PeerId>
  readonly streamsOutbound: Map<string, OutboundStream>
  validateReceivedMessage(from: PeerId, message: RawMessage): Promise<{ readonly code: string; readonly reason?: string }>
  handlePeerReadStreamError(error: Error, peer: PeerId): void
  removePeer(peer: PeerId): void
}

/** A message as it came. */
interface RawMessage {
  readonly seqno?: Uint8Array
  readonly signature?: Uint8Array
}

interface OutboundStream {
  readonly rawStream: Stream
  close(options?: { signal?: AbortSignal }): Promise<void>
}

/** The library's router, and whether there is a stream by which a peer gets what is sent. */
export interface Router {
  readonly library: GossipSub
  /** What the library calls the verdicts. */
  readonly verdicts: Readonly<Record<PubsubVerdict, TopicValidatorResult>>
  reaches(peer: string): boolean
}

/** Adds the library's router to the network, with the node's own limits. */
export async function addRouter(
  network: Network,
  plan: PubsubPlan,
  settings: GossipsubSettings,
  counters: RouterCounters
): Promise<Router> {
  const { gossipsub, StrictNoSign, StrictSign, TopicValidatorResult: results } = await import('@libp2p/gossipsub')
  const library = network.add((components: GossipSubComponents) => {
    const router = gossipsub({
      globalSignaturePolicy: plan.signs ? StrictSign : StrictNoSign,
      ...(plan.signs ? { msgIdFn: messageId } : {}),
      allowPublishToZeroTopicPeers: true,
      ignoreDuplicatePublishError: true,
      emitSelf: true,
      // one message of a peer at a time, so that a peer cannot have more checked than it waits for
      awaitRpcHandler: true,
      awaitRpcMessageHandler: true,
      maxInboundDataLength: settings.maxMessage + FRAME,
      maxOutboundBufferSize: settings.maxUnsent,
      // peers behind one address are many in a household, and on one machine
      scoreParams: { IPColocationFactorWeight: 0 }
    })(components)
    watch(router as GossipSub & Internals, plan, settings, counters)
    return router
  })
  const { streamsOutbound } = library as GossipSub & Internals
  const { Accept: accept, Ignore: ignore, Reject: reject } = results
  return { library, verdicts: { accept, ignore, reject }, reaches: peer => streamsOutbound.has(peer) }
}

/** The sender's multihash and the sequence number in eight bytes (go-libp2p-pubsub 0.10, pubsub.go). */
export function messageId(message: Message): Uint8Array {
  if (message.type !== 'signed') return new Uint8Array()
  return Buffer.concat([message.from.toMultihash().bytes, sequenceBytes(message.sequenceNumber)])
}

export function sequenceBytes(sequence: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(sequence)
  return bytes
}

/** Whether the number of a message, where senders count nanoseconds since 1970, is one of a time that is so many milliseconds ahead. */
function isAhead({ seqno }: RawMessage, most: number | undefined): boolean {
  if (most === undefined || seqno?.length !== 8) return false
  return Buffer.from(seqno).readBigUInt64BE() > BigInt(Date.now() + most) * 1_000_000n
}

function watch(
  router: Internals,
  plan: PubsubPlan,
  { maxSeen, maxAhead }: GossipsubSettings,
  { dropped, slowPeers }: RouterCounters
): void {
  router.protocols = plan.router === 'floodsub' ? FLOODSUB : GOSSIPSUB
  router.seenCache = new SeenMessages({ ttl: plan.seenTtl, renews: plan.renews, most: maxSeen })
  const validate = router.validateReceivedMessage.bind(router)
  router.validateReceivedMessage = async (from, message) => {
    if (plan.signs && isAhead(message, maxAhead)) {
      dropped.inc(1, { reason: 'future' })
      return { code: 'invalid', reason: 'ignore' }
    }
    const result = await validate(from, message)
    if (result.code === 'duplicate') dropped.inc(1, { reason: 'seen' })
    // what a check ignores is nothing that is wrong with the message
    if (result.code === 'invalid' && result.reason !== 'ignore')
      dropped.inc(1, { reason: plan.signs && message.signature === undefined ? 'unsigned' : 'invalid' })
    return result
  }
  const failed = router.handlePeerReadStreamError.bind(router)
  router.handlePeerReadStreamError = (error, peer) => {
    if (error.name === 'InvalidDataLengthError') dropped.inc(1, { reason: 'too large' })
    failed(error, peer)
  }
  const streams = router.streamsOutbound
  const set = streams.set.bind(streams)
  streams.set = (id, stream) => {
    const close = stream.close.bind(stream)
    stream.close = () => close({ signal: AbortSignal.timeout(CLOSING) })
    stream.rawStream.addEventListener('close', ({ error }) => {
      if (error?.name !== 'StreamBufferError') return
      slowPeers.inc()
      const peer = router.peers.get(id)
      if (peer !== undefined && streams.get(id) === stream) router.removePeer(peer)
    })
    return set(id, stream)
  }
}
