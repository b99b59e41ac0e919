import type { GossipSub, Message } from '@libp2p/gossipsub'
import { pubsubErrors } from '../../core/errors/pubsub.ts'
import {
  type Counter,
  type Lease,
  type Logger,
  type Network,
  networkErrors,
  type Pubsub,
  type PubsubCheck,
  type PubsubMessage,
  type PubsubSubscription,
  type Startable
} from '../../core/index.ts'
import type { PubsubPlan } from './plan.ts'
import { addRouter, type Router, type RouterCounters, sequenceBytes } from './router.ts'
import type { GossipsubSettings } from './settings.ts'
import { Subscription } from './subscription.ts'
import { topicOnWire } from './topics.ts'

interface GossipsubParts {
  readonly network: Network
  readonly plan: PubsubPlan
  readonly settings: GossipsubSettings
  readonly counters: RouterCounters & { readonly dropped: Counter }
  readonly log: Logger
}

/** Pubsub by the library's router: which subscriber of this node gets what. */
export class GossipsubService implements Pubsub, Startable {
  readonly #parts: GossipsubParts
  readonly #subscriptions = new Map<string, Set<Subscription>>()
  readonly #joins = new Set<(peer: string, topic: string) => void>()
  #router: Router | undefined

  constructor(parts: GossipsubParts) {
    this.#parts = parts
  }

  get enabled(): boolean {
    return this.#parts.plan.enabled
  }

  get maxMessage(): number {
    return this.#parts.settings.maxMessage
  }

  async start(): Promise<void> {
    const { network, plan, settings, counters, log } = this.#parts
    if (!plan.enabled) return
    this.#router = await addRouter(network, plan, settings, counters, log)
    const { library } = this.#router
    library.addEventListener('message', ({ detail }) => this.#deliver(detail))
    library.addEventListener('subscription-change', ({ detail: { peerId, subscriptions } }) => {
      const peer = peerId.toString()
      for (const { topic, subscribe } of subscriptions) {
        if (subscribe) for (const listener of this.#joins) listener(peer, topic)
      }
    })
  }

  stop(): void {
    for (const subscriptions of this.#subscriptions.values()) for (const subscription of subscriptions) subscription.close()
  }

  topics(): readonly string[] {
    this.#running()
    return [...this.#subscriptions.keys()]
  }

  peers(topic?: string): readonly string[] {
    const { library, reaches } = this.#running()
    const peers = topic === undefined ? library.getPeers() : library.getSubscribers(topicOnWire(topic))
    return peers
      .map(peer => peer.toString())
      .filter(reaches)
      .sort()
  }

  async publish(topic: string, data: Uint8Array): Promise<void> {
    const { library } = this.#running()
    if (data.length > this.maxMessage) throw pubsubErrors.E_PUBSUB_TOO_LARGE(this.maxMessage)
    await library.publish(topicOnWire(topic), data)
  }

  subscribe(given: string, { signal }: { signal?: AbortSignal } = {}): PubsubSubscription {
    const { library } = this.#running()
    const topic = topicOnWire(given)
    signal?.throwIfAborted()
    const { settings, counters } = this.#parts
    const subscription = new Subscription({
      most: settings.maxPending,
      signal,
      onDropped: () => counters.dropped.inc(1, { reason: 'slow subscriber' }),
      onClosed: () => this.#leave(library, topic, subscription)
    })
    const others = this.#subscriptions.get(topic)
    if (others !== undefined) others.add(subscription)
    else {
      this.#subscriptions.set(topic, new Set([subscription]))
      library.subscribe(topic)
    }
    return subscription
  }

  forgetSeen(peer?: string): number {
    return this.#running().forgetSeen(peer)
  }

  check(given: string, check: PubsubCheck): Lease {
    const { library, verdicts } = this.#running()
    const topic = topicOnWire(given)
    if (library.topicValidators.has(topic)) throw pubsubErrors.E_PUBSUB_CHECKED(topic)
    library.topicValidators.set(topic, async (by, message) => verdicts[await check(received(message), by.toString())])
    return { release: () => void library.topicValidators.delete(topic) }
  }

  onJoin(listener: (peer: string, topic: string) => void): () => void {
    this.#running()
    this.#joins.add(listener)
    return () => void this.#joins.delete(listener)
  }

  #leave(library: GossipSub, topic: string, subscription: Subscription): void {
    const all = this.#subscriptions.get(topic)
    if (all?.delete(subscription) !== true || all.size > 0) return
    this.#subscriptions.delete(topic)
    // a network that has stopped has forgotten its topics
    if (library.getTopics().includes(topic)) library.unsubscribe(topic)
  }

  #deliver(message: Message): void {
    const receivedMessage = received(message)
    for (const subscription of this.#subscriptions.get(message.topic) ?? []) subscription.push(receivedMessage)
  }

  /** @throws E_PUBSUB_OFF, E_NETWORK_STOPPED */
  #running(): Router {
    if (!this.enabled) throw pubsubErrors.E_PUBSUB_OFF()
    if (this.#router === undefined) throw networkErrors.E_NETWORK_STOPPED()
    return this.#router
  }
}

/** A message of the library as subscribers get it. */
function received(message: Message): PubsubMessage {
  const { topic, data } = message
  if (message.type !== 'signed') return { from: '', topic, data, sequence: new Uint8Array() }
  return { from: message.from.toString(), topic, data, sequence: sequenceBytes(message.sequenceNumber) }
}
