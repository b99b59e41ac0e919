import { ipnsErrors } from '../../core/errors/index.ts'
import {
  type Counter,
  hasCode,
  type Logger,
  messageOf,
  type NameRoute,
  type NameSubscriptions,
  type Names,
  type Network,
  type Pubsub,
  type PubsubVerdict,
  type RouteOptions,
  type Startable
} from '../../core/index.ts'
import { readRecord, routingKey, validateRecord } from '../../core/ipns/index.ts'
import { namePubsubErrors } from './errors.ts'
import { answer, ask, FETCH } from './fetch.ts'
import { Questions } from './questions.ts'
import type { NamePubsubSettings } from './settings.ts'
import { SubscribedName } from './subscribed.ts'
import { topicOf } from './topic.ts'

interface NamePubsubParts {
  readonly network: Network
  readonly pubsub: Pubsub
  readonly names: Names
  readonly settings: NamePubsubSettings
  readonly enabled: boolean
  /** Records that were not taken, by what was wrong. */
  readonly refused: Counter
  readonly log: Logger
}

/**
 * Records of names over pubsub, as a way of names to other nodes (go-libp2p-pubsub-router 0.6). Each name that is published or looked for is subscribed to
 * from then on, for as long as the node runs: what is heard of under its topic counts at once. Whoever joins the topic is asked for what it has.
 */
export class NamePubsub implements NameSubscriptions, NameRoute, Startable {
  readonly name = 'pubsub'
  readonly #parts: NamePubsubParts
  /** Names by their topics, the one that was asked for the longest ago first. */
  readonly #names = new Map<string, SubscribedName>()
  readonly #questions: Questions
  readonly #over = new AbortController()
  #rebroadcast: NodeJS.Timeout | undefined

  constructor(parts: NamePubsubParts) {
    const { maxFetches, maxWaiting } = parts.settings
    this.#parts = parts
    this.#questions = new Questions({ atOnce: maxFetches, waiting: maxWaiting }, (peer, topic) => this.#askInTime(peer, topic))
  }

  get enabled(): boolean {
    return this.#parts.enabled
  }

  async start(): Promise<void> {
    if (!this.enabled) return
    const { network, pubsub, names, settings } = this.#parts
    const find = (key: Uint8Array) => this.#names.get(topicOf(key))?.record?.bytes
    await network.handle(FETCH, stream => answer(stream, find, AbortSignal.timeout(settings.fetchTimeout)), {
      maxInbound: settings.maxInbound
    })
    pubsub.onJoin((peer, topic) => {
      if (this.#names.has(topic)) this.#questions.add(peer, topic)
    })
    names.addRoute(this)
    this.#rebroadcast = setInterval(() => void this.#sendAll(), settings.rebroadcastInterval).unref()
  }

  stop(): void {
    this.#over.abort()
    clearInterval(this.#rebroadcast)
    this.#questions.stop()
    for (const name of this.#all()) name.end()
  }

  list(): readonly Uint8Array[] {
    return this.#all().map(({ multihash }) => multihash)
  }

  async cancel(multihash: Uint8Array): Promise<boolean> {
    return this.#leave(this.#names.get(topicOf(routingKey(multihash))))
  }

  /** Peers that join later get it, too: it is sent again from time to time, and given to who asks. @throws E_NAME_PUBSUB_ALONE */
  async publish(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    const { pubsub } = this.#parts
    const name = await this.#subscribe(multihash)
    name.isPublished = true
    name.offer(readRecord(bytes))
    await pubsub.publish(name.topic, bytes)
    if (pubsub.peers().length === 0) throw namePubsubErrors.E_NAME_PUBSUB_ALONE()
  }

  /** The records heard of so far, then those of the peers that listen to the topic. */
  async *find(multihash: Uint8Array, { signal }: RouteOptions): AsyncGenerator<Uint8Array> {
    const name = await this.#subscribe(multihash)
    if (name.record !== undefined) yield name.record.bytes
    const { pubsub, settings } = this.#parts
    const peers = pubsub.peers(name.topic).slice(0, settings.maxFetches)
    for (const asked of peers.map(peer => this.#askInTime(peer, name.topic, signal))) {
      const before = name.record
      await asked
      if (name.record !== undefined && name.record !== before) yield name.record.bytes
    }
  }

  #all(): SubscribedName[] {
    return [...this.#names.values()]
  }

  /** The name, which is subscribed to from now on. The best record of it that is stored here stands at the beginning. */
  async #subscribe(multihash: Uint8Array): Promise<SubscribedName> {
    const { pubsub, names, settings } = this.#parts
    const topic = topicOf(routingKey(multihash))
    const present = this.#names.get(topic)
    if (present !== undefined) {
      this.#names.delete(topic)
      this.#names.set(topic, present)
      return present
    }
    if (this.#names.size >= settings.maxNames) this.#leave(this.#all().find(({ isPublished }) => !isPublished) ?? this.#all()[0])
    const name = new SubscribedName(multihash)
    this.#names.set(topic, name)
    const check = pubsub.check(topic, ({ data }, by) => this.#judge(name, data, by))
    const subscription = pubsub.subscribe(topic)
    name.onEnd(() => {
      check.release()
      subscription.close()
    })
    void drain(subscription)
    const stored = await names.record(name.name, { offline: true })
    if (stored !== undefined) name.offer(readRecord(stored))
    return name
  }

  /** @returns whether it was there */
  #leave(name: SubscribedName | undefined): boolean {
    if (name === undefined) return false
    name.end()
    return this.#names.delete(name.topic)
  }

  /** Keeps a record of a peer where it is good and better than what is there. */
  async #judge(name: SubscribedName, bytes: Uint8Array, by: string): Promise<PubsubVerdict> {
    const { names, refused, log } = this.#parts
    try {
      const record = readRecord(bytes)
      await validateRecord(record, name.multihash)
      const order = name.offer(record)
      if (order < 0) throw ipnsErrors.E_RECORD_OLDER()
      if (order === 0) return 'ignore'
      await names.heard(name.name, bytes)
      return 'accept'
    } catch (error) {
      const isOlder = hasCode(error, 'E_RECORD_OLDER')
      refused.inc(1, { reason: isOlder ? 'older' : hasCode(error, 'E_RECORD_EXPIRED') ? 'expired' : 'invalid' })
      log.debug(`a record of ${name.name} that ${by} sent was refused: ${messageOf(error)}`)
      return isOlder ? 'ignore' : 'reject'
    }
  }

  /** Asks a peer for the record of a topic, and keeps what it has. What fails is no loss: what is better is sent again. */
  async #askInTime(peer: string, topic: string, signal: AbortSignal = this.#over.signal): Promise<void> {
    const name = this.#names.get(topic)
    if (name === undefined) return
    const { network, settings, log } = this.#parts
    try {
      const end = AbortSignal.any([signal, this.#over.signal, AbortSignal.timeout(settings.fetchTimeout)])
      const bytes = await ask(network, peer, name.key, end)
      if (bytes !== undefined) await this.#judge(name, bytes, peer)
    } catch (error) {
      log.debug(`${peer} was asked for the record of ${name.name}: ${messageOf(error)}`)
    }
  }

  /** Sends each record again to who listens. */
  async #sendAll(): Promise<void> {
    const { pubsub, log } = this.#parts
    for (const { topic, record, name } of this.#all()) {
      if (this.#over.signal.aborted) return
      if (record === undefined || pubsub.peers(topic).length === 0) continue
      await pubsub.publish(topic, record.bytes).catch(error => log.debug(`the record of ${name} was not sent again: ${messageOf(error)}`))
    }
  }
}

/** Takes what comes: it was looked at before. */
async function drain(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}
