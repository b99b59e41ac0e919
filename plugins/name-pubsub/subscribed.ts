import { compareRecords, formatName, type IpnsRecord, nowInNanoseconds, routingKey } from '../../core/ipns/index.ts'
import { topicOf } from './topic.ts'

/** A name that is subscribed to, and the best record of it that was heard of so far. */
export class SubscribedName {
  readonly multihash: Uint8Array
  /** The key under which peers ask for the record. */
  readonly key: Uint8Array
  readonly topic: string
  /** Whether this node has published it. */
  isPublished = false
  #best: IpnsRecord | undefined
  #end: (() => void) | undefined

  constructor(multihash: Uint8Array) {
    this.multihash = multihash
    this.key = routingKey(multihash)
    this.topic = topicOf(this.key)
  }

  get name(): string {
    return formatName(this.multihash)
  }

  /** The record, unless it has ended. */
  get record(): IpnsRecord | undefined {
    if (this.#best !== undefined && (this.#best.end ?? 0n) < nowInNanoseconds()) this.#best = undefined
    return this.#best
  }

  /** @returns above 0 where it is better than the one that was there, 0 where it is the same */
  offer(record: IpnsRecord): number {
    const { record: present } = this
    const order = present === undefined ? 1 : compareRecords(record, present)
    if (order > 0) this.#best = record
    return order
  }

  onEnd(end: () => void): void {
    this.#end = end
  }

  end(): void {
    this.#end?.()
  }
}
